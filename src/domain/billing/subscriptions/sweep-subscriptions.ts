import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { bookInvoice } from "./book-invoice.ts";
import { sweepEach } from "#src/domain/billing/provider/index.ts";
import type { SubscriptionDeps } from "./deps.ts";
import { isInvoiceBooked } from "./queries/book.ts";
import { subscriptionsDue, subscriptionsWithoutTeam } from "./queries/read.ts";
import { syncSubscription } from "./sync-subscription.ts";

/** Most subscriptions in one sweep; the next sweep takes the rest. */
const BATCH = 100;

type SweepDeps = SubscriptionDeps & { queue: Queue; log: Log };

/**
 * Asks the provider about subscriptions of which something was missed: those past their period or their grace, those whose
 * team is deleted, which it cancels, and those that were not asked about for a day. Does nothing where payments are not
 * configured.
 */
export async function sweepSubscriptions(deps: SweepDeps): Promise<void> {
  if (!deps.payments) return;
  await cancelSubscriptionsWithoutTeam(deps);
  const due = await subscriptionsDue(deps.db, { graceDays: deps.config.BILLING_GRACE_DAYS, limit: BATCH });
  await each(deps, due, async (subscriptionId) => {
    const synced = await syncSubscription(deps, subscriptionId);
    const invoiceId = synced?.paidInvoiceId ?? undefined;
    if (invoiceId !== undefined && !(await isInvoiceBooked(deps.db, invoiceId))) {
      await bookInvoice(deps, invoiceId);
    }
  });
}

/**
 * Cancels at once what deleted teams paid for. Never throws, because the team is gone already: the sweep repeats what
 * fails.
 */
export async function cancelSubscriptionsWithoutTeam(deps: SubscriptionDeps & { log: Log }): Promise<void> {
  const { payments } = deps;
  if (!payments) return;
  await each(deps, await subscriptionsWithoutTeam(deps.db, BATCH), async (subscriptionId) => {
    await payments.cancelSubscription(subscriptionId);
    await syncSubscription(deps, subscriptionId);
  });
}

async function each(
  { log }: { log: Log },
  subscriptionIds: readonly string[],
  act: (subscriptionId: string) => Promise<void>,
): Promise<void> {
  await sweepEach(subscriptionIds, act, (subscription, cause) =>
    log.warn("a subscription was not brought up to date", { subscription, cause }),
  );
}
