import { estimateAnswer, estimateTokens, type Said } from "./estimate-tokens.ts";
import type { Model, ModelRequest, ModelUsage } from "./model.ts";

/** More than any model reads or writes in one call, and small enough that sums of it stay exact. */
const MAX_TOKENS = 10_000_000;

/**
 * Adds a usage to every answer of a model. A provider's count is used if it is plausible: a whole number from 0 to ten
 * million. A missing or implausible count is replaced by our own estimate, so that an answer is neither free nor lost,
 * and no provider can corrupt a team's sums.
 */
export function withCountedTokens(model: Model): Model {
  return {
    name: model.name,
    provider: model.provider,
    async *stream(request, signal) {
      for await (const event of model.stream(request, signal)) {
        yield event.type === "finished" ? { ...event, usage: counted(event.usage, request, event) } : event;
      }
    },
  };
}

function counted(usage: ModelUsage, request: ModelRequest, said: Said): ModelUsage {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  const parts = [inputTokens, cachedInputTokens, cacheWriteTokens];
  // A request has at least one token; the cached parts cannot exceed the total.
  const isInput =
    parts.every(isCount) && inputTokens > 0 && cachedInputTokens + cacheWriteTokens <= inputTokens;
  const estimate = estimateAnswer(said);
  const isOutput = isCount(outputTokens) && (outputTokens > 0 || estimate === 0);
  return {
    ...(isInput
      ? { inputTokens, cachedInputTokens, cacheWriteTokens }
      : { inputTokens: estimateTokens(request), cachedInputTokens: 0, cacheWriteTokens: 0 }),
    outputTokens: isOutput ? outputTokens : estimate,
  };
}

function isCount(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS;
}
