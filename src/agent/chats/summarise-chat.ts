import { AppError } from "#src/lib/errors.ts";
import { contextWindow } from "#src/models/model-facts.ts";
import { estimateText } from "#src/models/estimate-tokens.ts";
import type { Model } from "#src/models/model.ts";
import type { Said } from "#src/models/ask-for-text.ts";
import type { Unit } from "../context/folded.ts";
import { summarise, summaryTokens } from "../context/summarise.ts";
import { spoken, textOf, type HistoryMessage } from "../context/transcript.ts";

/** Messages that a chat must have before it can be compacted. */
export const COMPACTABLE_MESSAGES = 6;
/** Number of the newest messages, which are kept. */
export const KEPT_MESSAGES = 2;

/**
 * Summarises a chat's messages, oldest first, except the last two; the model is shown the summary instead. Throws
 * `invalid_input` for a chat of fewer than six messages, `ModelError`, and the signal's reason when aborted.
 */
export async function summariseChat(input: {
  model: Model;
  /** All messages, or those since the last summary. */
  messages: readonly HistoryMessage[];
  /** The chat's previous summary, of earlier messages; the new one includes it. */
  previous?: string | null | undefined;
  signal: AbortSignal;
}): Promise<Said> {
  const { model, messages, previous, signal } = input;
  if (messages.length < COMPACTABLE_MESSAGES) {
    throw new AppError(
      "invalid_input",
      `A chat of fewer than ${COMPACTABLE_MESSAGES} messages is not compacted`,
    );
  }
  const old = spoken(messages.slice(0, -KEPT_MESSAGES));
  const window = contextWindow(model.name);
  const size = old.reduce((sum, { content }) => sum + estimateText(textOf(content)), 0);
  return summarise({
    model,
    previous: previous ?? "",
    units: old.map((message): Unit => ({ kind: "message", message })),
    tokens: summaryTokens(size, window),
    window,
    signal,
  });
}
