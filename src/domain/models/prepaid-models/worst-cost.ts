import { costOf, type Price } from "#src/domain/metering/usage/index.ts";
import type { ModelUsage } from "#src/models/model.ts";

/** Possible costs of a call before it is made, in US cents. */
export interface WorstCost {
  /** The whole input. */
  input: number;
  /** The input and one token of output: with less, the call is not worthwhile. */
  least: number;
  /** The input and the longest output. */
  most: number;
}

export function worstCost(
  price: Price,
  { inputTokens, outputTokens }: Pick<ModelUsage, "inputTokens" | "outputTokens">,
): WorstCost {
  // All of the input may be written to the cache, which some providers charge more for.
  const dearest = { ...price, input: Math.max(price.input, price.cacheWrite ?? 0) };
  const { input, output } = costOf(dearest, { inputTokens, outputTokens });
  const token = costOf(price, { inputTokens: 0, outputTokens: 1 }).output;
  return { input, least: input + token, most: input + output };
}

const MILLION = 1_000_000;
const MICRODOLLARS_PER_CENT = 10_000;

/** Most output tokens whose cost, rounded up, is at most `cents`. */
export function affordableTokens({ output }: Pick<Price, "output">, cents: number): number {
  // Dollars per million tokens equal microdollars per token. As in `costOf`, they are counted in whole millionths.
  return Math.floor((cents * MICRODOLLARS_PER_CENT * MILLION) / Math.round(output * MILLION));
}
