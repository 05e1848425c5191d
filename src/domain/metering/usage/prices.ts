import { bareName, DEMO_MODEL } from "#src/models/settings.ts";
import type { Price } from "./cost.ts";

/** Price of models without a known price. */
const DEFAULT_PRICE: Price = { input: 1, output: 3 };

/** Where reading or writing the cache has no price of its own, it costs as other input. */
type PriceRow = readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number];

interface PriceList {
  /** Id of the provider that charges these prices. */
  provider: string;
  source: string;
  /** The day on which the prices were looked up. */
  asOf: string;
  /** US dollars per million tokens, for short contexts, without batches; of the cache, what is kept for five minutes. */
  prices: Readonly<Record<string, PriceRow>>;
}

const LISTS: readonly PriceList[] = [
  {
    provider: "anthropic",
    source: "https://docs.anthropic.com/en/docs/about-claude/pricing",
    asOf: "2026-03-21",
    prices: {
      "claude-opus-4-6": [5, 25, 0.5, 6.25],
      "claude-sonnet-4-6": [3, 15, 0.3, 3.75],
      "claude-haiku-4-5": [1, 5, 0.1, 1.25],
      "claude-opus-4-5": [5, 25, 0.5, 6.25],
      "claude-sonnet-4-5": [3, 15, 0.3, 3.75],
      "claude-opus-4-1": [15, 75, 1.5, 18.75],
      "claude-opus-4": [15, 75, 1.5, 18.75],
      "claude-sonnet-4": [3, 15, 0.3, 3.75],
      "claude-3-7-sonnet": [3, 15, 0.3, 3.75],
      "claude-3-5-sonnet": [3, 15, 0.3, 3.75],
      "claude-3-5-haiku": [0.8, 4, 0.08, 1],
      "claude-3-haiku": [0.25, 1.25, 0.03, 0.3],
    },
  },
  {
    provider: "openai",
    source: "https://platform.openai.com/docs/pricing",
    asOf: "2026-03-21",
    prices: {
      "gpt-5.4": [2.5, 15, 0.25],
      "gpt-5.1": [1.25, 10, 0.125],
      "gpt-5": [1.25, 10, 0.125],
      "gpt-5-codex": [1.25, 10, 0.125],
      "gpt-5-mini": [0.25, 2, 0.025],
      "gpt-5-nano": [0.05, 0.4, 0.005],
      "gpt-5-pro": [15, 120],
      "gpt-4.1": [2, 8, 0.5],
      "gpt-4.1-mini": [0.4, 1.6, 0.1],
      "gpt-4.1-nano": [0.1, 0.4, 0.025],
      "gpt-4o": [2.5, 10, 1.25],
      "gpt-4o-mini": [0.15, 0.6, 0.075],
      o3: [2, 8, 0.5],
      "o3-mini": [1.1, 4.4, 0.55],
      "o4-mini": [1.1, 4.4, 0.275],
    },
  },
  {
    provider: "google",
    source: "https://ai.google.dev/gemini-api/docs/pricing",
    asOf: "2026-03-21",
    prices: {
      "gemini-2.5-pro": [1.25, 10, 0.125],
      "gemini-2.5-flash": [0.3, 2.5, 0.03],
      "gemini-2.5-flash-lite": [0.1, 0.4, 0.01],
    },
  },
  {
    provider: "deepseek",
    source: "https://api-docs.deepseek.com/quick_start/pricing",
    asOf: "2025-12-01",
    prices: {
      "deepseek-chat": [0.28, 0.42, 0.028],
      "deepseek-reasoner": [0.28, 0.42, 0.028],
    },
  },
];

const FREE: Price = { input: 0, output: 0 };

const PRICES: ReadonlyMap<string, Price> = new Map(
  LISTS.flatMap(({ prices }) =>
    Object.entries(prices).map(([name, row]) => [plainName(name), toPrice(row)] as const),
  ),
);

/** The platform's price of a model, in US dollars per million tokens; the scripted `demo` costs nothing. */
export function priceOf(modelId: string): Price {
  return knownPriceOf(modelId) ?? DEFAULT_PRICE;
}

/** The list price of a well-known model, by any spelling of its name; null for an unknown one. */
export function knownPriceOf(modelId: string): Price | null {
  return bareName(modelId) === DEMO_MODEL ? FREE : (PRICES.get(plainName(modelId)) ?? null);
}

/** Models of a built-in provider whose prices are known. */
export function knownModels(provider: string): { name: string; price: Price }[] {
  const { prices = {} } = LISTS.find((each) => each.provider === provider) ?? {};
  return Object.entries(prices).map(([name, row]) => ({ name, price: toPrice(row) }));
}

function toPrice([input, output, cacheRead, cacheWrite]: PriceRow): Price {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

/**
 * Canonical name: `builtin/anthropic/claude-sonnet-4.5-20250929` becomes `claude-sonnet-4-5`. A name that merely begins
 * with a known one, as `gpt-4o-mini` with `gpt-4o`, is another model.
 */
function plainName(modelId: string): string {
  return modelId
    .slice(modelId.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/:.*$/u, "")
    .replaceAll(".", "-")
    .replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/u, "");
}
