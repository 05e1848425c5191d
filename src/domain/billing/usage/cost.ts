import type { ModelUsage } from "#src/models/model.ts";

/** Price of a model, in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
}

/** Cost of one call, in US cents; one credit is one cent. */
export interface Cost {
  input: number;
  output: number;
}

const MILLION = 1_000_000;
const MICRODOLLARS_PER_CENT = 10_000;

/** The cost of a call. Each side is rounded up to a whole cent, so that a call with a cost is never free. */
export function costOf(price: Price, usage: Pick<ModelUsage, "inputTokens" | "outputTokens">): Cost {
  return {
    input: inCents(usage.inputTokens, price.input),
    output: inCents(usage.outputTokens, price.output),
  };
}

/** Computed in whole microdollars, because binary fractions would lose tenths of a cent. */
function inCents(tokens: number, dollars: number): number {
  const microdollars = Math.round(dollars * MILLION) * tokens;
  return Math.ceil(microdollars / (MILLION * MICRODOLLARS_PER_CENT));
}
