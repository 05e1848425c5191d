import type { Db } from "#src/platform/db/client.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import type { TierPrices } from "./tiers.ts";

export interface SubscriptionConfig extends TierPrices {
  BILLING_GRACE_DAYS: number;
  TIER_BUNDLED_CREDITS_BASIC: number;
  TIER_BUNDLED_CREDITS_PRO: number;
  TIER_BUNDLED_CREDITS_ULTRA: number;
  CREATOR_REVENUE_SHARE: number;
}

export interface SubscriptionDeps {
  db: Db;
  payments: Payments | undefined;
  config: SubscriptionConfig;
}
