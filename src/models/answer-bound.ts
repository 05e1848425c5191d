import { ModelError } from "./model.ts";
import type { AnswerOrigin } from "./provider-failure.ts";

/**
 * Most characters of one answer: its text, and the names and arguments of its calls. Models stay far below: 128,000
 * tokens, the most that large models write at once, are about 500,000 characters. A turn's record and its events must
 * fit too: they travel by RPC, which takes 32 MiB, and are kept as long as the task's log.
 */
const MAX_ANSWER_CHARS = 1024 * 1024;

/** Most tool calls of one answer; each is stored and executed separately. */
const MAX_ANSWER_CALLS = 1000;

/** Ends an answer that is too long. One instance per call of a model. */
export class AnswerBound {
  readonly #origin: AnswerOrigin;
  #chars = 0;
  #calls = 0;

  constructor(origin: AnswerOrigin) {
    this.#origin = origin;
  }

  /**
   * Counts pieces of text or of arguments. Throws a `bad_response` that is not retried, because the next answer would
   * not be shorter.
   */
  take(...pieces: readonly (string | null | undefined)[]): void {
    for (const piece of pieces) this.#chars += piece?.length ?? 0;
    if (this.#chars > MAX_ANSWER_CHARS) throw this.#tooLong(`${MAX_ANSWER_CHARS} characters`);
  }

  /** Counts a tool call that begins. Throws as `take` does. */
  takeCall(): void {
    this.#calls += 1;
    if (this.#calls > MAX_ANSWER_CALLS) throw this.#tooLong(`${MAX_ANSWER_CALLS} tool calls`);
  }

  #tooLong(most: string): ModelError {
    const sentence = `${this.#origin.provider} sent an answer of more than ${most}, which was cut off`;
    return new ModelError("bad_response", sentence, { retryable: false });
  }
}
