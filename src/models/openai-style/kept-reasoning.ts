import type { ChatCompletionMessageToolCall } from "openai/resources/chat/completions";
import { z } from "zod";
import type { AnswerBound } from "../answer-bound.ts";
import type { Delta } from "./wire.ts";

const Detail = z.looseObject({ type: z.string(), index: z.number().nullish() });
type Detail = z.infer<typeof Detail>;

/**
 * The parts that compatible servers require back with an answer that called tools. DeepSeek and others refuse the turn
 * without its `reasoning_content`, OpenRouter forwards `reasoning_details` to such vendors, Gemini signs single calls.
 * Sources: https://api-docs.deepseek.com/guides/thinking_mode, https://openrouter.ai/docs/use-cases/reasoning-tokens,
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const KeptReasoning = z.object({
  reasoning_content: z.string().optional(),
  reasoning_details: z.array(Detail).optional(),
  /** `extra_content` of calls, by their position. */
  calls: z.record(z.string(), z.unknown()).optional(),
});
type KeptReasoning = z.infer<typeof KeptReasoning>;

/** Collects the reasoning of a stream. */
export class Reasoning {
  #text = "";
  #content = "";
  readonly #details: Detail[] = [];
  readonly #bound: AnswerBound;

  constructor(bound: AnswerBound) {
    this.#bound = bound;
  }

  add({ reasoning, reasoning_content: content, reasoning_details: details }: NonNullable<Delta>): void {
    this.#bound.take(reasoning, content, details && JSON.stringify(details));
    // Some servers send the same text under both names.
    this.#text += content ?? reasoning ?? "";
    this.#content += content ?? "";
    for (const detail of details ?? []) {
      const known = Detail.safeParse(detail).data;
      if (known) this.#addDetail(known);
    }
  }

  /** Adds thinking that is not returned to the server. */
  addText(text: string): void {
    this.#text += text;
  }

  /** The model's thinking, as far as the server returns it. */
  get text(): string {
    return this.#text;
  }

  /** Returns the part that must be returned to the server; undefined for none. */
  kept(extras: readonly unknown[]): KeptReasoning | undefined {
    const calls = Object.fromEntries(
      extras.flatMap((extra, place) => (extra === undefined ? [] : [[String(place), extra]])),
    );
    const kept: KeptReasoning = {
      ...(this.#details.length > 0
        ? { reasoning_details: this.#details }
        : this.#content !== "" && { reasoning_content: this.#content }),
      ...(Object.keys(calls).length > 0 && { calls }),
    };
    return Object.keys(kept).length > 0 ? kept : undefined;
  }

  /** Adds a piece of a detail: texts of one detail are concatenated, and for all other fields the last value counts. */
  #addDetail(piece: Detail): void {
    const last = this.#details.at(-1);
    const goesOn = last?.type === piece.type && last.index === piece.index && piece.type !== ENCRYPTED;
    if (!last || !goesOn) {
      this.#details.push({ ...piece });
      return;
    }
    for (const [name, value] of Object.entries(piece)) {
      const before = last[name];
      const isText = name === "text" || name === "summary";
      if (isText && typeof before === "string" && typeof value === "string") last[name] = before + value;
      else if (value !== null && value !== undefined) last[name] = value;
    }
  }
}

/** Each encrypted detail is complete. */
const ENCRYPTED = "reasoning.encrypted";

/** Adds the kept reasoning to an assistant's message with calls. */
export function withReasoning<T extends { tool_calls: readonly ChatCompletionMessageToolCall[] }>(
  message: T,
  content: unknown,
): T {
  const kept = KeptReasoning.safeParse(content).data;
  if (!kept) return message;
  const { calls = {}, ...fields } = kept;
  const signed = message.tool_calls.map((call, place) => {
    const extra = calls[String(place)];
    return extra === undefined ? call : { ...call, extra_content: extra };
  });
  return { ...message, ...fields, tool_calls: signed };
}
