import type { ModelCall } from "#src/domain/metering/usage/index.ts";

/** A call of a model that costs nothing. */
export const CALL: ModelCall = {
  purpose: "proxy",
  number: 1,
  provider: "openai",
  model: "gpt-5",
  inputTokens: 10,
  outputTokens: 5,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cost: { input: 0, output: 0 },
  isByok: false,
};
