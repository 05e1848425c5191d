import { ModelError, type Model } from "#src/models/model.ts";
import { askForText, type Said } from "../ask-for-text.ts";
import { SUMMARY_PROMPT, summaryQuestion } from "../prompts/summary.ts";
import { headAndTail } from "../tools/bound-text.ts";
import { describeUnits, type Unit } from "./folded.ts";

const SUMMARY_MIN_TOKENS = 2_000;
const SUMMARY_MAX_TOKENS = 12_000;
/** Of what is folded, in a summary. */
const SUMMARY_SHARE = 0.2;
/** Most tokens of conversation that one summary is made from, whatever the model would take. */
const INPUT_MAX_TOKENS = 150_000;
const CHARS_PER_TOKEN = 4;
/** Words are longer than tokens. */
const WORDS_PER_TOKEN = 0.6;

/** How long the summary of so many tokens may be, in tokens: a fifth, from 2,000 to 12,000, and no more than an eighth of the window. */
export function summaryTokens(folded: number, window: number): number {
  const most = Math.max(SUMMARY_MIN_TOKENS, Math.min(SUMMARY_MAX_TOKENS, Math.floor(window / 8)));
  return Math.round(Math.min(most, Math.max(SUMMARY_MIN_TOKENS, folded * SUMMARY_SHARE)));
}

export interface SummaryWish {
  model: Model;
  /** The summary so far, which the new one takes in; empty for none. */
  previous: string;
  units: readonly Unit[];
  /** Length, from `summaryTokens`. */
  tokens: number;
  /** Tokens the model takes. */
  window: number;
  signal: AbortSignal;
}

/**
 * Ask the model for the account of a part of a conversation. What it is given is bounded by half its window, and by a quarter
 * in a second try when that was too long. Throws `ModelError`, and the signal's reason when aborted.
 */
export async function summarise(wish: SummaryWish): Promise<Said> {
  const input = Math.min(INPUT_MAX_TOKENS, Math.floor(wish.window / 2));
  try {
    return await summariseFrom(wish, input);
  } catch (error) {
    if (!(error instanceof ModelError) || error.code !== "context_too_long") throw error;
    return summariseFrom(wish, Math.floor(input / 2));
  }
}

/**
 * The length is asked for and then cut, not limited in the request: models refuse a limit above their own, which may be 4,096,
 * and what a model thinks before it writes would count.
 */
async function summariseFrom(
  { model, previous, units, tokens, signal }: SummaryWish,
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
