import { publishPayout } from "#src/domain/billing/payouts/index.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import {
  readClock,
  type SubscriptionConfig,
  syncRules,
  syncSubscription,
} from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Charge, Dispute, Payments } from "#src/platform/payments/payments.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { isCustomerOfOurs, type Reversal, storeReversal } from "./queries/store-reversal.ts";

export interface ReviewDeps {
  db: Db;
  payments: Payments | undefined;
  queue: Queue;
  config: SubscriptionConfig;
}

/** How often an answer may be overtaken by one that was asked for later. */
const ATTEMPTS = 5;

/**
 * Reads from the provider what of a payment is back with its payer, and books the difference to what is booked, once: its
 * credits, in proportion and never more than the team has left; all that it paid for, once all of it is back; and the
 * creator's share. What comes back from a dispute that was won is restored. Idempotent, in any order. Throws `not_ready` for
 * a payment of ours that is not booked yet; leaves out the payments of other services.
 */
export async function reviewCharge(deps: ReviewDeps, chargeId: string): Promise<void> {
  await review(deps, async (payments) => {
    const charge = await payments.getCharge(chargeId);
    if (!charge?.isDisputed) return charge && { charge };
    // The dispute's own events may have been lost.
    return { charge, dispute: await payments.getDisputeOf(chargeId) };
  });
}

/** As `reviewCharge`, for the payment that is or was contested by a dispute. */
export async function reviewDispute(deps: ReviewDeps, disputeId: string): Promise<void> {
  await review(deps, async (payments) => {
    const dispute = await payments.getDispute(disputeId);
    const charge = dispute && (await payments.getCharge(dispute.chargeId));
    return charge && { charge, dispute };
  });
}

async function review(
  deps: ReviewDeps,
  ask: (payments: Payments) => Promise<{ charge: Charge; dispute?: Dispute | undefined } | undefined>,
): Promise<void> {
  const payments = requirePayments(deps);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const observedAt = await readClock(deps.db);
    const found = await ask(payments);
    if (found?.charge.paymentIntentId === undefined) return;
    const { charge, dispute } = found;
    const paymentIntentId = found.charge.paymentIntentId;
    const stored = await storeReversal(
      deps.db,
      { observedAt, paymentIntentId, chargeId: charge.id, refundedCents: charge.refundedCents, dispute },
      syncRules(deps.config),
    );
    if (stored === "unknown") return refuseIfOurs(deps, payments, paymentIntentId);
    if (stored !== "stale") return follow(deps, stored);
  }
  throw new AppError("not_ready", "The payment changes too often at the moment");
}

/** An event about a payment may come before the one by which it is booked. */
async function refuseIfOurs(deps: ReviewDeps, payments: Payments, paymentIntentId: string): Promise<void> {
  const intent = await payments.getPaymentIntent(paymentIntentId);
  if (intent?.customerId === undefined || !(await isCustomerOfOurs(deps.db, intent.customerId))) return;
  throw new AppError("not_ready", "The payment is not booked yet");
}

/** Has the creator's share sent or taken back, and counts again what a subscription grants. */
async function follow(deps: ReviewDeps, { transactionId, payout, subscriptionId }: Reversal): Promise<void> {
  await publishPayout(deps.queue, { id: transactionId, payout });
  if (subscriptionId !== null) await syncSubscription(deps, subscriptionId);
}
