import type { ModelUsage } from "../model.ts";
import type { Usage } from "./wire.ts";

/** Converts the counts of a report; those that it does not contain are absent. */
export function toUsage(usage: Usage): Partial<ModelUsage> {
  const {
    prompt_tokens,
    completion_tokens,
    prompt_tokens_details: details,
    prompt_cache_hit_tokens,
  } = usage ?? {};
  return {
    inputTokens: prompt_tokens ?? 0,
    outputTokens: completion_tokens ?? 0,
    cachedInputTokens: details?.cached_tokens || prompt_cache_hit_tokens || 0,
    cacheWriteTokens: details?.cache_write_tokens ?? 0,
  };
}
