import type { Db } from "#src/platform/db/client.ts";
import { endBonuses, fillBundledCredits, fillDailyCredits } from "./queries/pools.ts";

export interface FillConfig {
  TIER_DAILY_CREDITS_FREE: number;
  TIER_BUNDLED_CREDITS_BASIC: number;
  TIER_BUNDLED_CREDITS_PRO: number;
  TIER_BUNDLED_CREDITS_ULTRA: number;
}

/**
 * Fill what is due, in any number of runs: the daily credits of the free tier once for each UTC day, the bundled ones of paid
 * tiers every 30 days. What is left of either does not add up. A bonus past its day is taken away
 * (byok-billing-market-deploy.md section 2.3).
 */
export async function fillPools(deps: { db: Db; config: FillConfig }): Promise<void> {
  const { db, config } = deps;
  await fillDailyCredits(db, config.TIER_DAILY_CREDITS_FREE);
  await fillBundledCredits(db, bundledCredits(config));
  await endBonuses(db);
}

/** Bundled credits of a month, by paid tier. */
export function bundledCredits(config: Omit<FillConfig, "TIER_DAILY_CREDITS_FREE">) {
  return {
    basic: config.TIER_BUNDLED_CREDITS_BASIC,
    pro: config.TIER_BUNDLED_CREDITS_PRO,
    ultra: config.TIER_BUNDLED_CREDITS_ULTRA,
  };
}
