import type { AnswerBound } from "../answer-bound.ts";
import { JsonNesting } from "../json-nesting.ts";
import type { ToolCall, ToolDefinition } from "../model.ts";
import { intendedName } from "../tool-names.ts";
import type { ToolCallPart } from "./wire.ts";

interface PartialCall {
  index: number | undefined;
  id: string | undefined;
  name: string;
  arguments: string;
  nesting: JsonNesting;
  extra: unknown;
}

/** A delta of a call, without what is empty. */
interface Piece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  text: string;
}

/**
 * Assembles tool calls from their deltas. OpenAI sends the index with every delta, id and name with the first only.
 * Other servers omit the index or the id, repeat them, send a name in pieces, or send whole calls that all have index 0.
 */
export class ToolCallAssembly {
  readonly #calls: PartialCall[] = [];
  readonly #tools: readonly Pick<ToolDefinition, "name">[];
  readonly #bound: AnswerBound;

  constructor(bound: AnswerBound, tools: readonly Pick<ToolDefinition, "name">[]) {
    this.#bound = bound;
    this.#tools = tools;
  }

  add(part: ToolCallPart): void {
    const piece: Piece = {
      index: part.index ?? undefined,
      id: part.id || undefined,
      name: part.function?.name || undefined,
      text: part.function?.arguments ?? "",
    };
    this.#bound.take(piece.id, piece.name, piece.text);
    const call = this.#continued(piece) ?? this.#begun(piece);
    call.id ??= piece.id;
    if (piece.name) call.name = nameWith(call, piece.name);
    call.extra = part.extra_content ?? call.extra;
    // Some servers repeat the whole arguments at the end.
    if (call.nesting.hasClosed && piece.text === call.arguments) return;
    call.arguments += piece.text;
    call.nesting.push(piece.text);
  }

  /** Extra content of each call that must be returned with it. */
  get extras(): unknown[] {
    return this.#calls.map(({ extra }) => extra);
  }

  /** Returns the calls in the order in which they began; `toId` determines each identifier. */
  finish(toId: (sent: string | undefined) => string): ToolCall[] {
    return this.#calls.map(({ id, name, arguments: text }) => ({
      id: toId(id),
      name: intendedName(name, this.#tools),
      arguments: text,
    }));
  }

  #continued(piece: Piece): PartialCall | undefined {
    const { index, id } = piece;
    const call =
      index === undefined
        ? this.#calls.at(-1)
        : this.#calls.findLast((candidate) => candidate.index === index);
    const named = id && call?.id && call.id !== id ? this.#calls.findLast((each) => each.id === id) : call;
    return named && !this.#beginsAnother(named, piece) ? named : undefined;
  }

  /** Whether a piece belongs to a new call, although its index or id are those of a call. */
  #beginsAnother(call: PartialCall, { id, name, text }: Piece): boolean {
    if (name === undefined) return false;
    const isSame = id !== undefined && id === call.id;
    if (call.nesting.hasClosed) return !(isSame && (text === "" || text === call.arguments));
    if (isSame || name === call.name) return false;
    return call.arguments !== "" || (this.#isTool(call.name) && this.#isTool(name));
  }

  #isTool(name: string): boolean {
    const intended = intendedName(name, this.#tools);
    return this.#tools.some((tool) => tool.name === intended);
  }

  #begun({ index }: Piece): PartialCall {
    this.#bound.takeCall();
    const call: PartialCall = {
      index,
      id: undefined,
      name: "",
      arguments: "",
      nesting: new JsonNesting(),
      extra: undefined,
    };
    this.#calls.push(call);
    return call;
  }
}

/** Returns a call's name with one more piece, or unchanged if the piece repeats it. */
function nameWith({ name, arguments: text }: PartialCall, piece: string): string {
  if (piece.startsWith(name)) return piece;
  return text === "" ? name + piece : name;
}
