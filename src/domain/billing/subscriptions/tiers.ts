import type { Subscription } from "#src/platform/payments/payments.ts";

export const PAID_TIERS = ["basic", "pro", "ultra"] as const;
export type PaidTier = (typeof PAID_TIERS)[number];

export const INTERVALS = ["monthly", "annual"] as const;
export type Interval = (typeof INTERVALS)[number];

/** Prices at the provider. */
export interface TierPrices {
  STRIPE_BASIC_PRICE_ID?: string | undefined;
  STRIPE_PRO_PRICE_ID?: string | undefined;
  STRIPE_ULTRA_PRICE_ID?: string | undefined;
  STRIPE_BASIC_ANNUAL_PRICE_ID?: string | undefined;
  STRIPE_PRO_ANNUAL_PRICE_ID?: string | undefined;
  STRIPE_ULTRA_ANNUAL_PRICE_ID?: string | undefined;
}

/** The price of a tier; undefined when it is not sold at this interval. */
export function priceOfTier(config: TierPrices, tier: PaidTier, interval: Interval): string | undefined {
  const prices = {
    basic: { monthly: config.STRIPE_BASIC_PRICE_ID, annual: config.STRIPE_BASIC_ANNUAL_PRICE_ID },
    pro: { monthly: config.STRIPE_PRO_PRICE_ID, annual: config.STRIPE_PRO_ANNUAL_PRICE_ID },
    ultra: { monthly: config.STRIPE_ULTRA_PRICE_ID, annual: config.STRIPE_ULTRA_ANNUAL_PRICE_ID },
  };
  return prices[tier][interval];
}

/**
 * The tier of a subscription's price. A price that is no longer configured is still the one of the tier that it was
 * bought for. Undefined for other prices.
 */
export function tierOf(
  config: TierPrices,
  { item, metadata }: Pick<Subscription, "item" | "metadata">,
): PaidTier | undefined {
  const isPrice = (tier: PaidTier) =>
    INTERVALS.some((interval) => priceOfTier(config, tier, interval) === item.priceId);
  const bought = metadata["price_id"] === item.priceId ? metadata["tier"] : undefined;
  return PAID_TIERS.find(isPrice) ?? PAID_TIERS.find((tier) => tier === bought);
}
