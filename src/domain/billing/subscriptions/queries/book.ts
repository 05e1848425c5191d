import { and, eq, isNull, sql } from "drizzle-orm";
import { subscriptions, transactions } from "#src/db/schema/index.ts";
import { insertAuditPart } from "#src/domain/access/audit/index.ts";
import { storePayouts, type Booked } from "#src/domain/billing/payouts/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export async function isKnownSubscription(db: Db, subscriptionId: string): Promise<boolean> {
  const rows = await db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(eq(subscriptions.subscriptionId, subscriptionId));
  return rows.length > 0;
}

export async function isInvoiceBooked(db: Db, invoiceId: string): Promise<boolean> {
  const rows = await db
    .select({ id: transactions.id })
    .from(transactions)
    .where(and(eq(transactions.invoiceId, invoiceId), isNull(transactions.reversesId)));
  return rows.length > 0;
}

export interface PaidInvoice {
  invoiceId: string;
  subscriptionId: string;
  paymentIntentId: string | undefined;
  amountCents: number;
  currency: string;
  /** Only paid for an agent that has a creator; else the service keeps all. */
  creatorCents: number;
  platformCents: number;
}

/**
 * Inserts the transaction of a paid invoice, unless it is there, and the share of the agent's creator. Returns its id, and
 * the generation of the job that pays the share out, if there is one.
 */
export async function insertInvoice(db: Db, invoice: PaidInvoice): Promise<Booked | undefined> {
  const { rows } = await db.execute<Booked>(sql`
    WITH sold AS (
      SELECT s.*, agents.created_by AS creator_id FROM subscriptions s LEFT JOIN agents ON agents.id = s.agent_id
      WHERE s.subscription_id = ${invoice.subscriptionId}::text
    ), booked AS (
      INSERT INTO transactions (id, team_id, user_id, type, agent_id, checkout_id, subscription_id, creator_id, amount_cents,
        creator_cents, platform_cents, currency, payment_intent_id, invoice_id)
      SELECT ${newId()}::uuid, team_id, user_id, 'subscription', agent_id, checkout_id, subscription_id, creator_id,
        ${invoice.amountCents}::int, CASE WHEN creator_id IS NULL THEN 0 ELSE ${invoice.creatorCents}::int END,
        CASE WHEN creator_id IS NULL THEN ${invoice.amountCents}::int ELSE ${invoice.platformCents}::int END,
        ${invoice.currency}::text, ${invoice.paymentIntentId ?? null}::text, ${invoice.invoiceId}::text
      FROM sold
      ON CONFLICT DO NOTHING
      RETURNING *
    ), share AS (
      INSERT INTO payouts (id, transaction_id, creator_id, amount_cents, currency)
      SELECT ${newId()}::uuid, id, creator_id, creator_cents, currency FROM booked WHERE creator_cents > 0
    ), payout AS (
      ${storePayouts(sql`SELECT id FROM booked WHERE creator_cents > 0`)}
    ), ${insertAuditPart(sql`SELECT team_id, user_id, 'payment.received' AS action, 'transaction' AS resource_type,
      id::text AS resource_id, jsonb_build_object('type', type, 'amount_cents', amount_cents, 'currency', currency,
        'subscription_id', subscription_id) AS details FROM booked`)}
    SELECT booked.id, payout.generation AS payout FROM booked LEFT JOIN payout ON true
  `);
  return rows[0];
}
