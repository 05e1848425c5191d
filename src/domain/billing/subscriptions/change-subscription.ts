import { newId } from "#src/lib/ids.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Client } from "#src/lib/client.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import type { SubscriptionDeps } from "./deps.ts";
import { insertChangeEntry, isCurrentOfTeam } from "./queries/changes.ts";
import { syncSubscription } from "./sync-subscription.ts";

/** Who changes which subscription of a team. */
export interface SubscriptionChangeInput {
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
  input: SubscriptionChangeInput,
  { atPeriodEnd }: { atPeriodEnd: boolean },
): Promise<void> {
  const payments = requirePayments(deps);
  await requireCurrent(deps, input);
  if (atPeriodEnd) {
    // A key of its own each time: it may be cancelled and renewed several times a day.
    await payments.changeSubscription(input.subscriptionId, { cancelAtPeriodEnd: true }, `cancel-${newId()}`);
  } else {
    await payments.cancelSubscription(input.subscriptionId);
  }
  await insertChangeEntry(deps.db, { ...input, action: "subscription.cancelled", details: { atPeriodEnd } });
  await syncSubscription(deps, input.subscriptionId);
}

/** Takes back that a team's subscription ends with its period. Throws as `cancelSubscription`. */
export async function renewSubscription(
  deps: SubscriptionDeps,
  input: SubscriptionChangeInput,
): Promise<void> {
  const payments = requirePayments(deps);
  await requireCurrent(deps, input);
  await payments.changeSubscription(input.subscriptionId, { cancelAtPeriodEnd: false }, `renew-${newId()}`);
  await insertChangeEntry(deps.db, { ...input, action: "subscription.renewed", details: {} });
  await syncSubscription(deps, input.subscriptionId);
}

async function requireCurrent(
  { db }: SubscriptionDeps,
  { teamId, subscriptionId }: SubscriptionChangeInput,
): Promise<void> {
  if (await isCurrentOfTeam(db, teamId, subscriptionId)) return;
  throw new AppError("not_found", "The team has no such subscription, or it is over");
}
