import { isGuid } from "#src/lib/ids.ts";
import type { Payments, Subscription } from "#src/platform/payments/payments.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import type { SubscriptionConfig, SubscriptionDeps } from "./deps.ts";
import { lastState } from "./queries/read.ts";
import type { SyncRules } from "./queries/standing.ts";
import { type Observation, readClock, storeObservation, type Synced } from "./queries/sync.ts";
import { tierOf } from "./tiers.ts";

/**
 * Reads a subscription from the provider and stores its state with what its team gets by it. The time is that of the
 * database before the provider is asked, so the answer of a call that was slower never replaces a later one. Idempotent.
 * Returns the stored state; undefined if a later one was stored already, or if the subscription is not of this service.
 */
export async function syncSubscription(
  deps: SubscriptionDeps,
  subscriptionId: string,
): Promise<Synced | undefined> {
  const payments = requirePayments(deps);
  const observedAt = await readClock(deps.db);
  const found = await payments.getSubscription(subscriptionId);
  const seen = found
    ? observationOf(deps.config, found, { observedAt, paidInvoiceId: await paidInvoiceOf(payments, found) })
    : await endOfUnknown(deps, subscriptionId, observedAt);
  return seen && storeObservation(deps.db, seen, syncRules(deps.config));
}

/** An invoice of nothing, or one that is not paid yet, says nothing about whether the last payment is kept. */
async function paidInvoiceOf(payments: Payments, found: Subscription): Promise<string | undefined> {
  if (found.isLatestInvoicePaid) return found.latestInvoiceId;
  return (await payments.getPaidInvoiceOf(found.id))?.id;
}

function observationOf(
  config: SubscriptionConfig,
  found: Subscription,
  asked: Pick<Observation, "observedAt" | "paidInvoiceId">,
): Observation {
  const agentId = found.metadata["agent_id"];
  const isOfAgent = found.metadata["type"] === "agent_purchase" && agentId !== undefined && isGuid(agentId);
  return {
    ...asked,
    subscriptionId: found.id,
    customerId: found.customerId,
    status: found.status,
    tier: isOfAgent ? undefined : tierOf(config, found),
    agentId: isOfAgent ? agentId : undefined,
    priceId: found.item.priceId,
    amountCents: found.item.amountCents,
    currency: found.currency,
    periodStart: found.periodStart,
    periodEnd: found.periodEnd,
    cancelAt: found.cancelAt,
  };
}

/** A subscription that the provider does not know ends with its period, because nothing pays for another. */
async function endOfUnknown(
  deps: SubscriptionDeps,
  subscriptionId: string,
  observedAt: string,
): Promise<Observation | undefined> {
  const last = await lastState(deps.db, subscriptionId);
  if (!last || last.periodEnd.getTime() > Date.parse(observedAt)) return undefined;
  return { ...last, observedAt, status: "canceled" };
}

/** What a sync goes by, of the configuration. */
export function syncRules(config: SubscriptionConfig): SyncRules {
  return {
    graceDays: config.BILLING_GRACE_DAYS,
    credits: {
      basic: config.TIER_BUNDLED_CREDITS_BASIC,
      pro: config.TIER_BUNDLED_CREDITS_PRO,
      ultra: config.TIER_BUNDLED_CREDITS_ULTRA,
    },
  };
}
