import type { AnswerBound } from "../answer-bound.ts";
import type { ToolCall } from "../model.ts";
import type { ToolCallPart } from "./wire.ts";

interface PartialCall {
  index: number | undefined;
  id: string | undefined;
  name: string;
  arguments: string;
  extra: unknown;
}

/**
 * Assembles tool calls from their deltas. OpenAI sends the index with every delta, id and name with the first only;
 * other servers omit the index or the id, or send whole calls that all have index 0.
 */
export class ToolCallAssembly {
  readonly #calls: PartialCall[] = [];
  readonly #bound: AnswerBound;

  constructor(bound: AnswerBound) {
    this.#bound = bound;
  }

  add(part: ToolCallPart): void {
    this.#bound.take(part.id, part.function?.name, part.function?.arguments);
    const call = this.#continued(part) ?? this.#begun(part);
    call.id ??= part.id || undefined;
    call.name ||= part.function?.name ?? "";
    call.arguments += part.function?.arguments ?? "";
    call.extra = part.extra_content ?? call.extra;
  }

  /** Extra content of each call that must be returned with it. */
  get extras(): unknown[] {
    return this.#calls.map(({ extra }) => extra);
  }

  /** Returns the calls in the order in which they began; `toId` determines each identifier. */
  finish(toId: (sent: string | undefined) => string): ToolCall[] {
    return this.#calls.map(({ id, name, arguments: text }) => ({
      id: toId(id),
      name,
      // For a tool without parameters some models send an empty text.
      arguments: text.trim() === "" ? "{}" : text,
    }));
  }

  #continued({ index, id, function: called }: ToolCallPart): PartialCall | undefined {
    const call =
      index === undefined || index === null
        ? this.#calls.at(-1)
        : this.#calls.findLast((candidate) => candidate.index === index);
    if (id) return !call?.id || call.id === id ? call : this.#calls.find((candidate) => candidate.id === id);
    const anonymous = index === undefined || index === null;
    return anonymous && called?.name ? undefined : call;
  }

  #begun({ index }: ToolCallPart): PartialCall {
    this.#bound.takeCall();
    const call: PartialCall = {
      index: index ?? undefined,
      id: undefined,
      name: "",
      arguments: "",
      extra: undefined,
    };
    this.#calls.push(call);
    return call;
  }
}
