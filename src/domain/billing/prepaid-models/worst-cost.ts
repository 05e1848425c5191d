import { costOf, type Price } from "#src/domain/billing/usage/index.ts";
import type { ModelUsage } from "#src/models/model.ts";

/** US cents of a call before it is made. */
export interface WorstCost {
  /** Its whole input. */
  input: number;
  /** Input and one token of an answer: with less it is not worth beginning. */
  least: number;
  /** Input and the longest answer. */
  most: number;
}

export function worstCost(
  price: Price,
  { inputTokens, outputTokens }: Pick<ModelUsage, "inputTokens" | "outputTokens">,
): WorstCost {
  const { input, output } = costOf(price, { inputTokens, outputTokens });
  const token = costOf(price, { inputTokens: 0, outputTokens: 1 }).output;
  return { input, least: input + token, most: input + output };
}

const MICRODOLLARS_PER_CENT = 10_000;

/** Tokens of an answer that so many cents pay for: the most whose cost, rounded up, is not above them. */
export function affordableTokens({ output }: Pick<Price, "output">, cents: number): number {
  // Dollars for a million tokens are microdollars for one.
  return Math.floor((cents * MICRODOLLARS_PER_CENT) / output);
}
