import type { Db } from "#src/platform/db/client.ts";
import { endBonuses, fillBundledCredits, fillDailyCredits } from "./queries/pools.ts";

export interface FillConfig {
  TIER_DAILY_CREDITS_FREE: number;
  TIER_BUNDLED_CREDITS_BASIC: number;
  TIER_BUNDLED_CREDITS_PRO: number;
  TIER_BUNDLED_CREDITS_ULTRA: number;
}

/**
 * Grants the credits that are due: daily credits of the free tier once per UTC day, bundled credits of paid tiers every
 * 30 days. Both replace what is left and do not accumulate. Removes expired bonuses. Idempotent.
 */
export async function fillPools(deps: { db: Db; config: FillConfig }): Promise<void> {
  const { db, config } = deps;
  await fillDailyCredits(db, config.TIER_DAILY_CREDITS_FREE);
  await fillBundledCredits(db, bundledCredits(config));
  await endBonuses(db);
}

/** Monthly bundled credits, by paid tier. */
export function bundledCredits(config: Omit<FillConfig, "TIER_DAILY_CREDITS_FREE">) {
  return {
    basic: config.TIER_BUNDLED_CREDITS_BASIC,
    pro: config.TIER_BUNDLED_CREDITS_PRO,
    ultra: config.TIER_BUNDLED_CREDITS_ULTRA,
  };
}
