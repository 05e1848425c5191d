import { newId } from "#src/lib/ids.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Client } from "#src/lib/client.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import type { SubscriptionDeps } from "./deps.ts";
import { insertChangeEntry, isCurrentOfTeam } from "./queries/changes.ts";
import { syncSubscription } from "./sync-subscription.ts";

/** Who changes which subscription of a team. */
export interface SubscriptionChangeWish {
  userId: string;
  teamId: string;
  subscriptionId: string;
  client: Client;
}

/**
 * Ends a team's subscription with its period, or at once. Throws `not_found` for a subscription that is over or another
 * team's, and what the provider throws.
 */
export async function cancelSubscription(
  deps: SubscriptionDeps,
  wish: SubscriptionChangeWish,
  { atPeriodEnd }: { atPeriodEnd: boolean },
): Promise<void> {
  const payments = requirePayments(deps);
  await requireCurrent(deps, wish);
  if (atPeriodEnd) {
    // A key of its own each time: it may be cancelled and renewed several times a day.
    await payments.changeSubscription(wish.subscriptionId, { cancelAtPeriodEnd: true }, `cancel-${newId()}`);
  } else {
    await payments.cancelSubscription(wish.subscriptionId);
  }
  await insertChangeEntry(deps.db, { ...wish, action: "subscription.cancelled", details: { atPeriodEnd } });
  await syncSubscription(deps, wish.subscriptionId);
}

/** Takes back that a team's subscription ends with its period. Throws as `cancelSubscription`. */
export async function renewSubscription(deps: SubscriptionDeps, wish: SubscriptionChangeWish): Promise<void> {
  const payments = requirePayments(deps);
  await requireCurrent(deps, wish);
  await payments.changeSubscription(wish.subscriptionId, { cancelAtPeriodEnd: false }, `renew-${newId()}`);
  await insertChangeEntry(deps.db, { ...wish, action: "subscription.renewed", details: {} });
  await syncSubscription(deps, wish.subscriptionId);
}

async function requireCurrent(
  { db }: SubscriptionDeps,
  { teamId, subscriptionId }: SubscriptionChangeWish,
): Promise<void> {
  if (await isCurrentOfTeam(db, teamId, subscriptionId)) return;
  throw new AppError("not_found", "The team has no such subscription, or it is over");
}
