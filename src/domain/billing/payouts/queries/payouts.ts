import { and, asc, eq, or, sql, type SQL } from "drizzle-orm";
import { payouts, transactions, users } from "#src/db/schema/index.ts";
import { insertAuditPart } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { storeJobs } from "#src/work/queries.ts";
import type { StoredJob } from "#src/work/job.ts";
import { payoutDue } from "../payout-due.ts";

/** Minutes after which a payout that is still due counts as lost by the queue. */
const QUIET_MINUTES = 10;

/** The rows of a payment: its own, and those that took it back or restored it. */
const ofPayment = (transactionId: string): SQL | undefined =>
  or(eq(transactions.id, transactionId), eq(transactions.reversesId, transactionId));

/** Shares of a payment that are not sent, with what their transfers are made of. */
export function sharesDue(db: Db, transactionId: string) {
  return db
    .select({
      id: payouts.id,
      transactionId: payouts.transactionId,
      amountCents: payouts.amountCents,
      currency: payouts.currency,
      accountId: users.stripeAccountId,
      chargeId: transactions.chargeId,
      paymentIntentId: transactions.paymentIntentId,
    })
    .from(payouts)
    .innerJoin(transactions, eq(transactions.id, payouts.transactionId))
    .innerJoin(users, eq(users.id, payouts.creatorId))
    .where(and(ofPayment(transactionId), eq(payouts.status, "pending")))
    .orderBy(asc(payouts.id));
}

export type Share = Awaited<ReturnType<typeof sharesDue>>[number];

/**
 * Notes that the transfer of a share is about to be made. False when it is not to be: it was sent, or all of it went back
 * before.
 */
export async function beginTransfer(db: Db, id: string): Promise<boolean> {
  const begun = await db
    .update(payouts)
    .set({ attempts: sql`${payouts.attempts} + 1`, error: null })
    .where(and(eq(payouts.id, id), eq(payouts.status, "pending")))
    .returning({ id: payouts.id });
  return begun.length > 0;
}

export async function storeTransfer(db: Db, id: string, transferId: string): Promise<void> {
  await db.execute(sql`
    WITH sent AS (
      UPDATE payouts SET status = 'paid', transfer_id = ${transferId}::text, paid_at = now()
      WHERE id = ${id}::uuid AND status = 'pending'
      RETURNING *
    ), ${auditOfCreator("payout.sent", sql`SELECT id, creator_id, amount_cents, currency FROM sent`)}
    SELECT id FROM sent
  `);
}

/** Part of a WITH list: an entry in the log of the creator's personal team. `rows` are payouts. */
function auditOfCreator(action: string, rows: SQL): SQL {
  return insertAuditPart(sql`
    SELECT teams.id AS team_id, payout.creator_id AS user_id, ${action}::text AS action, 'payout' AS resource_type,
      payout.id::text AS resource_id,
      jsonb_build_object('amount_cents', payout.amount_cents, 'currency', payout.currency) AS details
    FROM (${rows}) AS payout JOIN teams ON teams.is_personal AND teams.created_by = payout.creator_id`);
}

export async function noteProblem(db: Db, id: string, error: string): Promise<void> {
  await db
    .update(payouts)
    .set({ error })
    .where(and(eq(payouts.id, id), eq(payouts.status, "pending")));
}

/** What is to be taken back from the transfers of a payment, and is not yet. */
export async function reversalsDue(db: Db, transactionId: string) {
  const { rows } = await db.execute<{ id: string; transferId: string; amountCents: number }>(sql`
    SELECT r.id, o.transfer_id AS "transferId", r.amount_cents AS "amountCents"
    FROM transactions JOIN payouts o ON o.transaction_id = transactions.id JOIN payout_reversals r ON r.payout_id = o.id
    WHERE ${ofPayment(transactionId)} AND r.reversal_id IS NULL AND o.transfer_id IS NOT NULL
    ORDER BY r.created_at, r.id
  `);
  return rows;
}

/** Notes that a part of a transfer was taken back; the last part ends the payout. */
export async function storeReversalId(db: Db, id: string, reversalId: string): Promise<void> {
  await db.execute(sql`
    WITH done AS (
      UPDATE payout_reversals SET reversal_id = ${reversalId}::text WHERE id = ${id}::uuid AND reversal_id IS NULL
      RETURNING id, payout_id, amount_cents
    ), ${auditOfCreator(
      "payout.taken_back",
      sql`SELECT o.id, o.creator_id, done.amount_cents, o.currency FROM done JOIN payouts o ON o.id = done.payout_id`,
    )}
    UPDATE payouts SET status = 'reversed' FROM done
    WHERE payouts.id = done.payout_id AND payouts.reversed_cents = payouts.amount_cents AND NOT EXISTS (
      SELECT 1 FROM payout_reversals r WHERE r.payout_id = done.payout_id AND r.reversal_id IS NULL AND r.id <> done.id
    )
  `);
}

/** Statement that stores the job of each payment whose `id` a query selects. Returns their keys and generations. */
export const storePayouts = (payments: SQL): SQL =>
  storeJobs(payoutDue, sql`FROM (${payments}) AS due (id)`, {
    key: sql`due.id::text`,
    payload: { transactionId: sql`due.id` },
  });

/** Stores the jobs of payments with a share that waits for an account at the provider. */
export async function storePayoutsOfAccount(db: Db, accountId: string, limit: number): Promise<StoredJob[]> {
  const { rows } = await db.execute<StoredJob>(
    storePayouts(sql`
      SELECT DISTINCT coalesce(t.reverses_id, t.id) FROM users
        JOIN payouts o ON o.creator_id = users.id AND o.status = 'pending' JOIN transactions t ON t.id = o.transaction_id
      WHERE users.stripe_account_id = ${accountId}::text LIMIT ${limit}::int`),
  );
  return rows;
}

/**
 * Stores the jobs of payments with a share that should have been sent, or taken back, minutes ago, and that have none; in no
 * order, as those of accounts that may not receive would be first for ever.
 */
export async function storeOverduePayouts(db: Db, limit: number): Promise<StoredJob[]> {
  const since = sql`now() - make_interval(mins => ${QUIET_MINUTES}::int)`;
  const { rows } = await db.execute<StoredJob>(
    storePayouts(sql`
      SELECT payment FROM (
        SELECT coalesce(t.reverses_id, t.id) AS payment FROM payouts o
          JOIN transactions t ON t.id = o.transaction_id JOIN users ON users.id = o.creator_id
        WHERE o.status = 'pending' AND o.created_at < ${since} AND users.stripe_account_id IS NOT NULL
        UNION SELECT coalesce(t.reverses_id, t.id) FROM payout_reversals r
          JOIN payouts o ON o.id = r.payout_id JOIN transactions t ON t.id = o.transaction_id
        WHERE r.reversal_id IS NULL AND r.created_at < ${since} AND o.transfer_id IS NOT NULL
      ) AS overdue
      WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE kind = ${payoutDue.name}::text AND key = payment::text)
      ORDER BY random() LIMIT ${limit}::int`),
  );
  return rows;
}
