import { and, eq, isNull, notInArray, or, sql } from "drizzle-orm";
import { lockTeam } from "#src/db/locks.ts";
import { sharesOf } from "#src/domain/billing/subscriptions/index.ts";
import { storePayouts, type Booked } from "#src/domain/billing/payouts/index.ts";
import { grantAgent, grantBase } from "#src/domain/organisations/library/index.ts";
import { checkouts } from "#src/db/schema/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Checkout } from "../checkout.ts";

/** A payment that the provider has received. */
export interface Payment {
  sessionId: string;
  paymentIntentId: string;
  chargeId: string | null;
  /** Part of the amount that goes to the creator of what was sold. */
  creatorShare: number;
}

/**
 * Notes that a checkout is paid, books the payment with the share of the creator, and grants what was bought, all at once
 * and only the first time. A checkout that had failed or expired is granted too: the money has come after all. Returns the
 * transaction; undefined if it was not the first time.
 */
export async function payCheckout(db: Db, checkout: Checkout, payment: Payment): Promise<Booked | undefined> {
  const { id, teamId } = checkout;
  const transactionId = newId();
  const { creatorCents } = sharesOf(checkout.amountCents, { CREATOR_REVENUE_SHARE: payment.creatorShare });
  const share = sql`CASE WHEN creator_id IS NULL THEN 0 ELSE ${creatorCents}::int END`;
  const granting = db.execute<Booked>(sql`
    WITH checkout AS (
      UPDATE checkouts SET status = 'paid', error = NULL, session_id = ${payment.sessionId}::text,
        payment_intent_id = ${payment.paymentIntentId}::text, settled_at = now()
      WHERE id = ${id}::uuid AND status NOT IN ('paid', 'refunded')
        AND (session_id IS NULL OR session_id = ${payment.sessionId}::text)
      RETURNING *
    ), granted AS (
      UPDATE teams SET purchased_credits = teams.purchased_credits + checkout.credits,
        deploy_slots = teams.deploy_slots + CASE checkout.type WHEN 'deploy_purchase' THEN 1 ELSE 0 END
      FROM checkout
      WHERE teams.id = checkout.team_id AND checkout.type IN ('credit_purchase', 'deploy_purchase')
    ), sold AS (
      SELECT checkout.*, agents.id AS agent_id, bases.id AS base_id,
        CASE WHEN agents.team_id IS NOT NULL THEN agents.created_by ELSE bases.created_by END AS creator_id
      FROM checkout
        LEFT JOIN agents ON agents.id = CASE checkout.type WHEN 'agent_purchase' THEN checkout.item::uuid END
        LEFT JOIN bases ON bases.id = CASE checkout.type WHEN 'base_purchase' THEN checkout.item::uuid END
    ), ${grantAgent(
      sql`SELECT team_id, agent_id, user_id, 'one_time', id, NULL::text, NULL::timestamptz FROM sold
        WHERE agent_id IS NOT NULL AND team_id IS NOT NULL`,
      "bought",
    )}, ${grantBase(
      sql`SELECT team_id, base_id, user_id, 'one_time', id FROM sold
        WHERE base_id IS NOT NULL AND team_id IS NOT NULL`,
      "bought",
    )}, booked AS (
      INSERT INTO transactions (id, team_id, user_id, type, agent_id, base_id, checkout_id, creator_id, amount_cents,
        creator_cents, platform_cents, currency, credits, payment_intent_id, charge_id)
      SELECT ${transactionId}::uuid, team_id, user_id,
        CASE WHEN type IN ('agent_purchase', 'base_purchase') THEN 'one_time' ELSE type END, agent_id, base_id, id,
        creator_id, amount_cents, ${share}, amount_cents - ${share}, currency, credits, payment_intent_id,
        ${payment.chargeId}::text
      FROM sold
      RETURNING *
    ), share AS (
      INSERT INTO payouts (id, transaction_id, creator_id, amount_cents, currency)
      SELECT ${newId()}::uuid, id, creator_id, creator_cents, currency FROM booked WHERE creator_cents > 0
    ), payout AS (
      ${storePayouts(sql`SELECT id FROM booked WHERE creator_cents > 0`)}
    )
    SELECT booked.id, payout.generation AS payout FROM booked LEFT JOIN payout ON true
  `);
  if (teamId === null) return (await granting).rows[0];
  const entry = {
    userId: checkout.userId,
    teamId,
    action: "payment.received",
    resourceType: "checkout",
    resourceId: id,
    details: {
      type: checkout.type,
      item: checkout.item,
      amount_cents: checkout.amountCents,
      currency: checkout.currency,
      ...(checkout.credits > 0 && { credits: checkout.credits }),
    },
  };
  const isBooked = sql`EXISTS (SELECT 1 FROM transactions WHERE id = ${transactionId}::uuid)`;
  const [, { rows }] = await db.batch([
    lockTeam(db, teamId),
    granting,
    insertAuditEntry(db, entry, isBooked),
  ]);
  return rows[0];
}

/** Notes that the checkout of a subscription is paid. Returns whether it was not noted before. */
export async function markPaid(db: Db, id: string, sessionId: string): Promise<boolean> {
  const marked = await db
    .update(checkouts)
    .set({ status: "paid", error: null, sessionId, settledAt: sql`now()` })
    .where(
      and(
        eq(checkouts.id, id),
        notInArray(checkouts.status, ["paid", "refunded"]),
        or(isNull(checkouts.sessionId), eq(checkouts.sessionId, sessionId)),
      ),
    )
    .returning({ id: checkouts.id });
  return marked.length > 0;
}
