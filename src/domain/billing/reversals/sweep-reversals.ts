import { sweepEach } from "#src/domain/billing/provider/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import { paymentsToReview } from "./queries/payments-to-review.ts";
import { reviewCharge, type ReviewDeps } from "./review-charge.ts";

/** Most payments in one sweep; the next sweep takes the rest. */
const BATCH = 50;

/**
 * Reviews payments that were never reviewed, or not for a day, so that a refund of which no event came is found. Does nothing
 * where payments are not configured.
 */
export async function sweepReversals(deps: ReviewDeps & { log: Log }): Promise<void> {
  const { db, payments, log } = deps;
  if (!payments) return;
  await sweepEach(
    await paymentsToReview(db, BATCH),
    async ({ paymentIntentId, chargeId }) => {
      const id = chargeId ?? (await payments.getPaymentIntent(paymentIntentId))?.chargeId;
      if (id !== undefined) await reviewCharge(deps, id);
    },
    ({ paymentIntentId }, cause) =>
      log.warn("a payment was not reviewed", { payment: paymentIntentId, cause }),
  );
}
