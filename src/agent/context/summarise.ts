import { ModelError, type Model } from "#src/models/model.ts";
import { askForText, type Said } from "#src/models/ask-for-text.ts";
import { SUMMARY_PROMPT, summaryQuestion } from "../prompts/summary.ts";
import { headAndTail } from "../tools/bound-text.ts";
import { describeUnits, type Unit } from "./folded.ts";

const SUMMARY_MIN_TOKENS = 2_000;
const SUMMARY_MAX_TOKENS = 12_000;
/** Length of a summary as a share of what it folds. */
const SUMMARY_SHARE = 0.2;
/** Most tokens of conversation that one summary reads, even if the model accepts more. */
const INPUT_MAX_TOKENS = 150_000;
const CHARS_PER_TOKEN = 4;
/** A word has more than one token. */
const WORDS_PER_TOKEN = 0.6;

/**
 * Length of a summary in tokens: a fifth of what it folds, from 2,000 to 12,000, and at most an eighth of the window.
 */
export function summaryTokens(folded: number, window: number): number {
  const most = Math.max(SUMMARY_MIN_TOKENS, Math.min(SUMMARY_MAX_TOKENS, Math.floor(window / 8)));
  return Math.round(Math.min(most, Math.max(SUMMARY_MIN_TOKENS, folded * SUMMARY_SHARE)));
}

export interface SummaryInput {
  model: Model;
  /** The previous summary, which the new one includes; empty for none. */
  previous: string;
  units: readonly Unit[];
  /** Length of the summary, from `summaryTokens`. */
  tokens: number;
  /** Size of the model's window in tokens. */
  window: number;
  signal: AbortSignal;
}

/**
 * Asks the model to summarise a part of a conversation. The input is at most half of the model's window, or a quarter
 * in a second try when that was too long. Throws `ModelError`, and the signal's reason when aborted.
 */
export async function summarise(wish: SummaryInput): Promise<Said> {
  const input = Math.min(INPUT_MAX_TOKENS, Math.floor(wish.window / 2));
  try {
    return await summariseFrom(wish, input);
  } catch (error) {
    if (!(error instanceof ModelError) || error.code !== "context_too_long") throw error;
    return summariseFrom(wish, Math.floor(input / 2));
  }
}

/**
 * The prompt asks for the length and the result is cut; the request sets no limit. Models refuse a limit above their
 * own, which may be 4,096, and thinking tokens would count against it.
 */
async function summariseFrom(
  { model, previous, units, tokens, signal }: SummaryInput,
  input: number,
): Promise<Said> {
  const chars = tokens * CHARS_PER_TOKEN;
  const text = summaryQuestion({
    previous: headAndTail(previous, chars),
    conversation: describeUnits(units, input),
    words: Math.round(tokens * WORDS_PER_TOKEN),
  });
  const said = await askForText(model, { system: SUMMARY_PROMPT, text }, signal);
  return { ...said, text: headAndTail(said.text, chars) };
}
