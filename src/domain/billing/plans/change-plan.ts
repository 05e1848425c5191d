import { requirePayments } from "#src/domain/billing/provider/index.ts";
import {
  cancelSubscription,
  renewSubscription,
  type SubscriptionDeps,
} from "#src/domain/billing/subscriptions/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { planOfTeam } from "./queries.ts";

/** Who acts, for which team. */
export interface Subscriber {
  userId: string;
  teamId: string;
  client: Client;
}

/**
 * Ends a team's subscription to a tier with its period, or at once: then the team is in the free tier. Throws
 * `invalid_input` without a subscription, and what the provider throws.
 */
export async function cancelPlan(
  deps: SubscriptionDeps,
  by: Subscriber,
  end: { atPeriodEnd: boolean },
): Promise<void> {
  await cancelSubscription(deps, { ...by, subscriptionId: await ownSubscription(deps, by) }, end);
}

/** Takes back that a team's subscription to a tier ends. Throws as `cancelPlan`. */
export async function renewPlan(deps: SubscriptionDeps, by: Subscriber): Promise<void> {
  await renewSubscription(deps, { ...by, subscriptionId: await ownSubscription(deps, by) });
}

async function ownSubscription(deps: SubscriptionDeps, { teamId }: Subscriber): Promise<string> {
  requirePayments(deps);
  const plan = await planOfTeam(deps.db, teamId);
  if (plan?.subscription) return plan.subscription.subscriptionId;
  throw new AppError("invalid_input", "The team has no subscription");
}
