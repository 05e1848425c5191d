import type { Db } from "#src/platform/db/client.ts";
import { usageByModelAndAgent, type UsageFilter } from "./queries.ts";

/** Sums over several calls. */
export interface Sums {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** Part of `inputTokens` that was read from the providers' caches. */
  cachedInputTokens: number;
  /** Part of `inputTokens` that was written to the providers' caches. */
  cacheWriteTokens: number;
  /** US cents. */
  costCents: number;
}

export interface Usage {
  total: Sums;
  /** By model id, most expensive first. */
  byModel: ReadonlyMap<string, Sums>;
  /** By agent id; null for calls without an agent. */
  byAgent: ReadonlyMap<string | null, Sums>;
}

const NOTHING: Sums = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  costCents: 0,
};

/** Sums over the model calls of a team, or of one of its members. */
export async function readUsage(deps: { db: Db }, filter: UsageFilter): Promise<Usage> {
  const rows = await usageByModelAndAgent(deps.db, filter);
  const byModel = new Map<string, Sums>();
  const byAgent = new Map<string | null, Sums>();
  let total = NOTHING;
  for (const { model, agentId, ...sums } of rows) {
    byModel.set(model, add(byModel.get(model), sums));
    byAgent.set(agentId, add(byAgent.get(agentId), sums));
    total = add(total, sums);
  }
  const dearestFirst = [...byModel].toSorted(([, one], [, other]) => other.costCents - one.costCents);
  return { total, byModel: new Map(dearestFirst), byAgent };
}

function add(sums: Sums | undefined, more: Sums): Sums {
  const before = sums ?? NOTHING;
  return {
    requests: before.requests + more.requests,
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    cachedInputTokens: before.cachedInputTokens + more.cachedInputTokens,
    cacheWriteTokens: before.cacheWriteTokens + more.cacheWriteTokens,
    costCents: before.costCents + more.costCents,
  };
}
