import { sql } from "drizzle-orm";
import { recountTier, type SyncRules } from "#src/domain/billing/subscriptions/index.ts";
import { storePayouts } from "#src/domain/billing/payouts/index.ts";
import { endGrant, grantAgent, grantBase } from "#src/domain/organisations/library/index.ts";
import { insertAuditPart } from "#src/domain/access/audit/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Dispute } from "#src/platform/payments/payments.ts";

/** What the provider said about a payment at a time. */
export interface Review {
  observedAt: string;
  paymentIntentId: string;
  chargeId: string;
  refundedCents: number;
  dispute: Dispute | undefined;
}

/** What was booked, if anything. */
export interface Reversal {
  /** The payment's. */
  transactionId: string;
  /** Generation of the job that sends a share, or takes it back; null where none moves. */
  payout: string | null;
  /** Of a payment of a subscription. */
  subscriptionId: string | null;
}

/** States of a dispute in which the payer has the money: open ones, and those that are lost. */
const HELD = sql`('needs_response', 'under_review', 'lost')`;

/**
 * Books what went back since the last review, or came back, with all that follows from it. `unknown` when the payment is
 * not booked; `stale` when a later review is stored, which may not know this dispute.
 */
export async function storeReversal(
  db: Db,
  review: Review,
  rules: SyncRules,
): Promise<Reversal | "unknown" | "stale"> {
  const id = newId();
  const { dispute } = review;
  const payment = sql`payment_intent_id = ${review.paymentIntentId}::text AND reverses_id IS NULL`;
  const [, known, { rows }] = await db.batch([
    db.execute(sql`
      SELECT id FROM teams WHERE id = (SELECT team_id FROM transactions WHERE ${payment}) FOR NO KEY UPDATE
    `),
    db.execute(sql`SELECT id FROM transactions WHERE ${payment} FOR NO KEY UPDATE`),
    db.execute<Reversal & Record<string, unknown>>(sql`
      WITH p AS (
        SELECT * FROM transactions WHERE ${payment} AND coalesce(observed_at, '-infinity') < ${review.observedAt}::timestamptz(3)
      ), contested AS (
        INSERT INTO disputes (id, transaction_id, amount_cents, status)
        SELECT ${dispute?.id ?? null}::text, p.id, ${dispute?.amountCents ?? null}::int, ${dispute?.status ?? null}::text
        FROM p WHERE ${dispute !== undefined}::boolean
        ON CONFLICT (id) DO UPDATE SET amount_cents = excluded.amount_cents, status = excluded.status
        RETURNING id, amount_cents, status
      ), held AS (
        SELECT coalesce(sum(amount_cents), 0)::bigint AS cents FROM (
          SELECT amount_cents, status FROM contested
          UNION ALL
          SELECT d.amount_cents, d.status FROM disputes d JOIN p ON p.id = d.transaction_id
          WHERE d.id NOT IN (SELECT id FROM contested)
        ) AS each WHERE status IN ${HELD}
      ), goal AS (
        SELECT p.*, g.cents AS goal_cents, p.credits::bigint * g.cents / greatest(p.amount_cents, 1) AS goal_credits,
          p.creator_cents::bigint * (p.amount_cents - g.cents) / greatest(p.amount_cents, 1) AS goal_creator,
          p.creator_cents + (SELECT coalesce(sum(creator_cents), 0) FROM transactions x WHERE x.reverses_id = p.id) AS has_creator
        FROM p CROSS JOIN LATERAL (
          SELECT least(p.amount_cents, ${review.refundedCents}::bigint + (SELECT cents FROM held)) AS cents
        ) AS g
      ), change AS (
        SELECT goal.*, (goal_cents - reversed_cents)::int AS back, (goal_creator - has_creator)::int AS creator_change,
          least(goal_credits - reversed_credits,
            coalesce((SELECT purchased_credits FROM teams WHERE id = goal.team_id), 0))::int AS taken,
          goal_cents = amount_cents AND reversed_cents < amount_cents AS is_over,
          goal_cents < amount_cents AND reversed_cents = amount_cents AND amount_cents > 0 AS is_restored
        FROM goal
      ), booked AS (
        INSERT INTO transactions (id, team_id, user_id, type, agent_id, base_id, checkout_id, subscription_id, creator_id,
          amount_cents, creator_cents, platform_cents, currency, credits, payment_intent_id, invoice_id, charge_id, reverses_id)
        SELECT ${id}::uuid, team_id, user_id, CASE WHEN back < 0 OR back = 0 AND taken < 0 THEN 'restored' ELSE 'refund' END,
          agent_id, base_id, checkout_id, subscription_id, creator_id, -back, creator_change, -back - creator_change, currency,
          -taken, payment_intent_id, invoice_id, ${review.chargeId}::text, id
        FROM change WHERE back <> 0 OR taken <> 0
        RETURNING *
      ), noted AS (
        UPDATE transactions t SET reversed_cents = change.goal_cents, reversed_credits = t.reversed_credits + change.taken,
          charge_id = ${review.chargeId}::text, observed_at = ${review.observedAt}::timestamptz
        FROM change WHERE t.id = change.id
      ), settled AS (
        UPDATE checkouts SET status = CASE WHEN change.is_over THEN 'refunded' ELSE 'paid' END
        FROM change
        WHERE checkouts.id = change.checkout_id AND change.invoice_id IS NULL AND (change.is_over OR change.is_restored)
      ), pool AS (
        UPDATE teams SET purchased_credits = teams.purchased_credits - change.taken,
          deploy_slots = greatest(0, teams.deploy_slots + CASE WHEN change.type <> 'deploy_purchase' THEN 0
            WHEN change.is_over THEN -1 WHEN change.is_restored THEN 1 ELSE 0 END)
        FROM change
        WHERE teams.id = change.team_id AND (change.taken <> 0 OR change.is_over OR change.is_restored)
      ), part AS (
        -- From the latest transfer first, each at most what is left of it.
        SELECT id, least(room, due - before) AS cents FROM (
          SELECT o.id, o.amount_cents - o.reversed_cents AS room, -change.creator_change AS due,
            coalesce(sum(o.amount_cents - o.reversed_cents) OVER (
              ORDER BY o.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
          FROM change JOIN transactions t ON t.id = change.id OR t.reverses_id = change.id
          JOIN payouts o ON o.transaction_id = t.id
          WHERE change.creator_change < 0
        ) AS shares WHERE room > 0 AND due > before
      ), taken_back AS (
        UPDATE payouts o SET reversed_cents = o.reversed_cents + part.cents,
          status = CASE WHEN o.status = 'pending' AND o.attempts = 0 AND o.reversed_cents + part.cents = o.amount_cents
            THEN 'reversed' ELSE o.status END
        FROM part WHERE o.id = part.id
        RETURNING o.id, part.cents
      ), steps AS (
        INSERT INTO payout_reversals (id, payout_id, transaction_id, amount_cents)
        SELECT gen_random_uuid(), taken_back.id, booked.id, taken_back.cents FROM taken_back CROSS JOIN booked
      ), share AS (
        INSERT INTO payouts (id, transaction_id, creator_id, amount_cents, currency)
        SELECT ${newId()}::uuid, id, creator_id, creator_cents, currency FROM booked
        WHERE creator_cents > 0 AND creator_id IS NOT NULL
      ), payout AS (
        ${storePayouts(sql`SELECT id FROM change WHERE creator_change <> 0`)}
      ), ${endGrant(sql`SELECT checkout_id, NULL::text FROM change WHERE is_over AND invoice_id IS NULL`)}, ${grantAgent(
        sql`SELECT team_id, agent_id, user_id, 'one_time', checkout_id, NULL::text, NULL::timestamptz FROM change
          WHERE is_restored AND invoice_id IS NULL AND agent_id IS NOT NULL AND team_id IS NOT NULL`,
        "bought",
      )}, ${grantBase(
        sql`SELECT team_id, base_id, user_id, 'one_time', checkout_id FROM change
          WHERE is_restored AND invoice_id IS NULL AND base_id IS NOT NULL AND team_id IS NOT NULL`,
        "bought",
      )}, ${insertAuditPart(sql`SELECT team_id, user_id, 'payment.' || CASE type WHEN 'refund' THEN 'returned' ELSE type END AS action,
        'transaction' AS resource_type, reverses_id::text AS resource_id, jsonb_build_object('amount_cents', amount_cents,
          'currency', currency, 'credits', credits) AS details FROM booked`)}
      SELECT id AS "transactionId", payout.generation AS payout, subscription_id AS "subscriptionId"
      FROM change LEFT JOIN payout ON true
    `),
    recountTier(
      db,
      sql`latest_invoice_id = (SELECT invoice_id FROM transactions WHERE id = ${id}::uuid)`,
      rules,
    ),
  ]);
  if (known.rows.length === 0) return "unknown";
  return rows[0] ?? "stale";
}

/** Whether a team of the service is or was this customer. */
export async function isCustomerOfOurs(db: Db, customerId: string): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM teams WHERE stripe_customer_id = ${customerId}::text
    UNION ALL SELECT 1 FROM checkouts WHERE customer_id = ${customerId}::text
    LIMIT 1
  `);
  return rows.length > 0;
}
