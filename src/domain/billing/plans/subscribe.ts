import {
  BILLING_PAGE,
  type Buyer,
  createCheckout,
  type OpenSession,
  type SettleDeps,
} from "#src/domain/billing/checkouts/index.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import {
  type Interval,
  PAID_TIERS,
  type PaidTier,
  priceOfTier,
  type SubscriptionDeps,
} from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { planOfTeam } from "./queries.ts";

interface PlanPrices {
  TIER_PRICE_BASIC: number;
  TIER_PRICE_PRO: number;
  TIER_PRICE_ULTRA: number;
}

const MONTHS: Record<Interval, number> = { monthly: 1, annual: 12 };

/**
 * Opens a page on which a team subscribes to a tier. Throws `invalid_input` for a team that has a subscription, or the same
 * or a higher tier; `unavailable` for a tier that is not sold at the interval; and as `createCheckout`.
 */
export async function subscribe(
  deps: SettleDeps & SubscriptionDeps & { config: PlanPrices },
  buyer: Buyer,
  { tier, interval }: { tier: PaidTier; interval: Interval },
): Promise<OpenSession> {
  requirePayments(deps);
  const priceId = priceOfTier(deps.config, tier, interval);
  if (priceId === undefined) {
    throw new AppError("unavailable", `The tier ${tier} is not sold at the interval ${interval} here`);
  }
  const plan = await planOfTeam(deps.db, buyer.teamId);
  if (!plan) throw new AppError("not_found", "Team not found");
  if (plan.subscription) {
    throw new AppError("invalid_input", "The team has a subscription already: change it in the portal");
  }
  const ranks: readonly string[] = PAID_TIERS;
  if (ranks.indexOf(plan.tier) >= ranks.indexOf(tier)) {
    throw new AppError("invalid_input", `The team has the tier ${plan.tier} already`);
  }
  return createCheckout(deps, {
    ...buyer,
    type: "subscription",
    item: `${tier}:${interval}`,
    name: `Tier ${tier}, ${interval}`,
    amountCents: monthlyPrice(deps.config)[tier] * MONTHS[interval],
    currency: "usd",
    priceId,
    metadata: { tier, billing_interval: interval, price_id: priceId },
    paths: BILLING_PAGE,
  });
}

/** As it is shown; what is paid is the price at the provider. */
const monthlyPrice = (config: PlanPrices): Record<PaidTier, number> => ({
  basic: config.TIER_PRICE_BASIC,
  pro: config.TIER_PRICE_PRO,
  ultra: config.TIER_PRICE_ULTRA,
});
