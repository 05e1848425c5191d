import { publishPayout } from "#src/domain/billing/payouts/index.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import type { SubscriptionDeps } from "./deps.ts";
import { insertInvoice, isKnownSubscription } from "./queries/book.ts";
import { syncSubscription } from "./sync-subscription.ts";

/** Basis points, because a share of money is not to be rounded twice. */
const POINTS = 10_000;

/** The creator's share of a payment, rounded down, and what the service keeps. Cents. */
export function sharesOf(
  amountCents: number,
  { CREATOR_REVENUE_SHARE: share }: { CREATOR_REVENUE_SHARE: number },
): { creatorCents: number; platformCents: number } {
  const creatorCents = Math.floor((amountCents * Math.round(share * POINTS)) / POINTS);
  return { creatorCents, platformCents: amountCents - creatorCents };
}

/**
 * Books a paid invoice of a subscription, once: the transaction, and the share of the agent's creator, whose transfer is
 * published. Invoices that are unpaid, of nothing or of other services are left out. Idempotent.
 */
export async function bookInvoice(
  deps: SubscriptionDeps & { queue: Queue },
  invoiceId: string,
): Promise<{ isNew: boolean }> {
  const invoice = await requirePayments(deps).getInvoice(invoiceId);
  if (invoice?.status !== "paid" || invoice.amountPaidCents <= 0 || invoice.subscriptionId === undefined) {
    return { isNew: false };
  }
  if (!(await isKnownSubscription(deps.db, invoice.subscriptionId))) {
    // The invoice's event came first.
    await syncSubscription(deps, invoice.subscriptionId);
  }
  const booked = await insertInvoice(deps.db, {
    invoiceId,
    subscriptionId: invoice.subscriptionId,
    paymentIntentId: invoice.paymentIntentId,
    amountCents: invoice.amountPaidCents,
    currency: invoice.currency,
    ...sharesOf(invoice.amountPaidCents, deps.config),
  });
  if (booked) await publishPayout(deps.queue, booked);
  return { isNew: booked !== undefined };
}
