import type { ModelUsage } from "#src/models/model.ts";

/** Price of a model, in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Input that is read from the provider's cache; as `input` if absent. */
  cacheRead?: number;
  /** Input that is written to the provider's cache; as `input` if absent. */
  cacheWrite?: number;
}

/** Cost of one call, in US cents; one credit is one cent. */
export interface Cost {
  input: number;
  output: number;
}

const MILLION = 1_000_000;
const MICRODOLLARS_PER_CENT = 10_000;

type Counted = Pick<ModelUsage, "inputTokens" | "outputTokens"> &
  Partial<Pick<ModelUsage, "cachedInputTokens" | "cacheWriteTokens">>;

/** The cost of a call. Each side is rounded up to a whole cent, so that a call with a cost is never free. */
export function costOf(price: Price, usage: Counted): Cost {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const input =
    millionths(inputTokens - cachedInputTokens - cacheWriteTokens, price.input) +
    millionths(cachedInputTokens, price.cacheRead ?? price.input) +
    millionths(cacheWriteTokens, price.cacheWrite ?? price.input);
  return { input: inCents(input), output: inCents(millionths(outputTokens, price.output)) };
}

/** In millionths of a microdollar, which are whole numbers: binary fractions would lose tenths of a cent. */
function millionths(tokens: number, dollars: number): number {
  return Math.round(dollars * MILLION) * tokens;
}

function inCents(cost: number): number {
  return Math.ceil(cost / (MILLION * MICRODOLLARS_PER_CENT));
}
