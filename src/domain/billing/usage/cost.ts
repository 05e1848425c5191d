import type { ModelUsage } from "#src/models/model.ts";

/** Of a model, in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
}

/** Of one call, in US cents; one credit is one cent. */
export interface Cost {
  input: number;
  output: number;
}

const MILLION = 1_000_000;
const MICRODOLLARS_PER_CENT = 10_000;

/**
 * What a call costs: each side rounded up to a whole cent, so that a call is never free that was not
 * (byok-billing-market-deploy.md section 2.2).
 */
export function costOf(price: Price, usage: Pick<ModelUsage, "inputTokens" | "outputTokens">): Cost {
  return {
    input: inCents(usage.inputTokens, price.input),
    output: inCents(usage.outputTokens, price.output),
  };
}

/** Prices are whole numbers of microdollars, so that no tenth of a cent is lost to binary fractions. */
function inCents(tokens: number, dollars: number): number {
  const microdollars = Math.round(dollars * MILLION) * tokens;
  return Math.ceil(microdollars / (MILLION * MICRODOLLARS_PER_CENT));
}
