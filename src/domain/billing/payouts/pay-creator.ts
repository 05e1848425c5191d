import { requirePayments } from "#src/domain/billing/provider/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { defineJob } from "#src/work/job.ts";
import { messageOfPayout, payoutDue } from "./payout-due.ts";
import {
  beginTransfer,
  noteProblem,
  reversalsDue,
  type Share,
  sharesDue,
  storeOverduePayouts,
  storePayoutsOfAccount,
  storeReversalId,
  storeTransfer,
} from "./queries/payouts.ts";

export interface PayoutDeps {
  db: Db;
  payments: Payments | undefined;
}

/** Most payments in one sweep or release; the next sweep takes the rest. */
const BATCH = 200;

/**
 * Sends the creator's share of a payment, and takes back what of it went back to the payer. A share is sent once: under a key
 * of its own, with what its row says. While the creator has no account that may receive, it waits. Idempotent. Throws what
 * the provider throws.
 */
export async function payCreator(deps: PayoutDeps, transactionId: string): Promise<void> {
  for (const share of await sharesDue(deps.db, transactionId)) await send(deps, share);
  const payments = requirePayments(deps);
  for (const { id, transferId, amountCents } of await reversalsDue(deps.db, transactionId)) {
    const reversal = { transferId, amountCents, metadata: { payout_reversal_id: id } };
    await storeReversalId(deps.db, id, await payments.reverseTransfer(reversal, `reversal-${id}`));
  }
}

async function send(deps: PayoutDeps, share: Share): Promise<void> {
  const { accountId, paymentIntentId, transactionId, amountCents, currency } = share;
  if (accountId === null || paymentIntentId === null) return;
  const payments = requirePayments(deps);
  // A transfer that is refused stays refused under its key for a day.
  const account = await payments.getAccount(accountId);
  if (!account?.canReceive) return;
  const chargeId = share.chargeId ?? (await payments.getPaymentIntent(paymentIntentId))?.chargeId;
  if (chargeId === undefined) return;
  if (!(await beginTransfer(deps.db, share.id))) return;
  const transfer = await payments.createTransfer(
    { amountCents, currency, accountId, chargeId, metadata: { transaction_id: transactionId } },
    `payout-${transactionId}`,
  );
  if (transfer === "not_receiving") {
    await noteProblem(deps.db, share.id, "The creator's account may not receive transfers");
    return;
  }
  await storeTransfer(deps.db, share.id, transfer.id);
}

/**
 * Sends and takes back for one payment. The attempts take about two days, since Stripe repeats an answer of 500 to an idempotency
 * key for a day (docs.stripe.com/api/idempotent_requests). Then an administrator has it tried again, or the next refund, dispute
 * or change of the creator's account.
 */
export const sendPayout = defineJob(payoutDue, {
  pauses: [10, 60, 300, 1800, 7200, 21_600, 43_200, 86_400],
  run: async (deps: PayoutDeps, { payload: { transactionId } }) => {
    await payCreator(deps, transactionId);
    return { kind: "done" };
  },
});

/** Has the shares sent that wait for this account at the provider. */
export async function releasePayouts(deps: { db: Db; queue: Queue }, accountId: string): Promise<void> {
  const stored = await storePayoutsOfAccount(deps.db, accountId, BATCH);
  await deps.queue.publishBatch(stored.map(messageOfPayout));
}

/**
 * Looks again at what should have been sent or taken back: the provider may not have told that a creator's account may receive
 * by now. What was given up is left to people.
 */
export async function sweepPayouts(deps: { db: Db; queue: Queue }): Promise<void> {
  const stored = await storeOverduePayouts(deps.db, BATCH);
  await deps.queue.publishBatch(stored.map(messageOfPayout));
}
