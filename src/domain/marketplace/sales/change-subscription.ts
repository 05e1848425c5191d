import { requirePayments } from "#src/domain/billing/provider/index.ts";
import {
  cancelSubscription,
  renewSubscription,
  type SubscriptionDeps,
} from "#src/domain/billing/subscriptions/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { subscriptionToAgent } from "./queries.ts";

/** An agent's subscription after a change; `cancelAt` is when it ends, `null` when it goes on. */
interface ChangedSubscription {
  agentName: string;
  cancelAt: Date | null;
}

/**
 * Ends the caller's team's subscription to an agent with the month that is paid. Throws `not_found` for a subscription that is
 * over, another team's or not to an agent, `invalid_input` when it is cancelled already, and what the provider throws.
 */
export async function cancelAgentSubscription(
  deps: SubscriptionDeps,
  caller: UserCaller,
  wish: { subscriptionId: string; client: Client },
): Promise<ChangedSubscription> {
  const { teamId, found } = await requireSubscription(deps, caller, wish.subscriptionId);
  if (found.cancelAt !== null) throw new AppError("invalid_input", "This subscription is cancelled already");
  await cancelSubscription(deps, { ...wish, userId: caller.userId, teamId }, { atPeriodEnd: true });
  return requireSubscribed(deps, { teamId, subscriptionId: wish.subscriptionId });
}

/** Takes back that the subscription ends. Throws as `cancelAgentSubscription`, `invalid_input` when it goes on anyway. */
export async function renewAgentSubscription(
  deps: SubscriptionDeps,
  caller: UserCaller,
  wish: { subscriptionId: string; client: Client },
): Promise<ChangedSubscription> {
  const { teamId, found } = await requireSubscription(deps, caller, wish.subscriptionId);
  if (found.cancelAt === null) throw new AppError("invalid_input", "This subscription is not cancelled");
  await renewSubscription(deps, { ...wish, userId: caller.userId, teamId });
  return requireSubscribed(deps, { teamId, subscriptionId: wish.subscriptionId });
}

async function requireSubscription(deps: SubscriptionDeps, caller: UserCaller, subscriptionId: string) {
  const { teamId } = await requireTeam(deps, caller, "billing.manage");
  requirePayments(deps);
  return { teamId, found: await requireSubscribed(deps, { teamId, subscriptionId }) };
}

async function requireSubscribed(
  { db }: SubscriptionDeps,
  wish: { teamId: string; subscriptionId: string },
): Promise<ChangedSubscription> {
  const found = await subscriptionToAgent(db, wish);
  if (!found) throw new AppError("not_found", "The team has no such subscription to an agent");
  return found;
}
