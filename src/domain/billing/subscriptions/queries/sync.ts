import { sql } from "drizzle-orm";
import { endGrant, grantAgent } from "#src/domain/organisations/library/index.ts";
import { insertAuditPart } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newId } from "#src/lib/ids.ts";
import type { PaidTier } from "../tiers.ts";
import {
  counts,
  creditsOf,
  ENDED,
  isAnnual,
  isBack,
  rankOf,
  type SyncRules,
  tierWithRank,
} from "./standing.ts";

/** The time by the database's clock, as text. It is asked before the provider is. */
export async function readClock(db: Db): Promise<string> {
  const { rows } = await db.execute<{ now: string }>(sql`SELECT clock_timestamp()::text AS now`);
  const [row] = rows;
  if (!row) throw new Error("The database has no clock");
  return row.now;
}

/** A subscription as the provider described it at a time. */
export interface Observation {
  observedAt: string;
  subscriptionId: string;
  customerId: string;
  status: string;
  tier: PaidTier | undefined;
  /** Of an agent's subscription. */
  agentId: string | undefined;
  priceId: string;
  amountCents: number | undefined;
  currency: string;
  periodStart: Date;
  periodEnd: Date;
  cancelAt: Date | undefined;
  /** The last one for which money was paid. */
  paidInvoiceId: string | undefined;
}

/** What a sync wrote; absent if a later state was stored before, or the subscription is not ours. */
export type Synced = {
  teamId: string | null;
  tier: PaidTier | null;
  agentId: string | null;
  status: string;
  paidInvoiceId: string | null;
};

/**
 * Stores a subscription's state, unless a later one is stored, with what its team gets or loses by it. A team's tier is
 * the highest that its subscriptions grant. The bundled credits are set once for each period, and on an upgrade once for
 * each tier of a period: changing to and fro is not filled again, and neither is a change between months and years. A team
 * that had lost its tier lost the credits with it, and has both again.
 *
 * A new subscription counts only for one of our customers, and one to an agent only with the checkout of that price.
 */
export async function storeObservation(
  db: Db,
  seen: Observation,
  { graceDays, credits }: SyncRules,
): Promise<Synced | undefined> {
  const paid = sql`(s.status IN ('active', 'trialing') AND NOT ${isBack(sql`s`)})`;
  const isCycle = sql`(k.credited_period_start IS NULL
    OR s.period_start > k.credited_period_start AND ${isAnnual(sql`s`)} = ${isAnnual(sql`k`)})`;
  const [, { rows }] = await db.batch([
    db.execute(sql`
      SELECT id FROM teams WHERE stripe_customer_id = ${seen.customerId}::text
        OR id = (SELECT team_id FROM subscriptions WHERE subscription_id = ${seen.subscriptionId}::text)
      ORDER BY id FOR NO KEY UPDATE
    `),
    db.execute<Synced>(sql`
      WITH k AS (
        SELECT * FROM subscriptions WHERE subscription_id = ${seen.subscriptionId}::text
      ), bought AS (
        SELECT id, team_id, user_id FROM checkouts
        WHERE customer_id = ${seen.customerId}::text AND CASE WHEN ${seen.agentId ?? null}::text IS NULL
          THEN type = 'subscription'
          ELSE type = 'agent_purchase' AND item = ${seen.agentId ?? null}::text
            AND amount_cents = ${seen.amountCents ?? null}::int AND currency = ${seen.currency}::text END
        ORDER BY created_at DESC LIMIT 1
      ), s AS (
        SELECT coalesce((SELECT team_id FROM k),
            (SELECT id FROM teams WHERE stripe_customer_id = ${seen.customerId}::text)) AS team_id,
          (SELECT user_id FROM bought) AS user_id, (SELECT id FROM bought) AS checkout_id,
          CASE WHEN ${seen.agentId ?? null}::text IS NULL THEN coalesce(${seen.tier ?? null}::text,
            (SELECT tier FROM k WHERE price_id = ${seen.priceId}::text)) END AS tier,
          (SELECT id FROM agents WHERE id::text = ${seen.agentId ?? null}::text) AS agent_id,
          ${seen.status}::text AS status, ${seen.periodStart.toISOString()}::timestamptz AS period_start,
          ${seen.periodEnd.toISOString()}::timestamptz AS period_end, ${seen.observedAt}::timestamptz(3) AS observed_at,
          coalesce(${seen.paidInvoiceId ?? null}::text, (SELECT latest_invoice_id FROM k)) AS latest_invoice_id
      ), written AS (
        INSERT INTO subscriptions AS stored (id, subscription_id, team_id, user_id, checkout_id, tier, agent_id, price_id,
          amount_cents, currency, status, period_start, period_end, cancel_at, latest_invoice_id, past_due_since,
          credited_period_start, credited_tier, observed_at)
        SELECT ${newId()}::uuid, ${seen.subscriptionId}::text, s.team_id, s.user_id, s.checkout_id, s.tier, s.agent_id,
          ${seen.priceId}::text, ${seen.amountCents ?? null}::int, ${seen.currency}::text, s.status, s.period_start,
          s.period_end, ${seen.cancelAt?.toISOString() ?? null}::timestamptz, s.latest_invoice_id,
          CASE WHEN s.status = 'past_due' THEN coalesce(k.past_due_since, s.observed_at) END,
          CASE WHEN ${paid} AND s.tier IS NOT NULL THEN greatest(s.period_start, k.credited_period_start)
            ELSE k.credited_period_start END,
          CASE WHEN NOT ${paid} OR s.tier IS NULL THEN k.credited_tier WHEN ${isCycle} THEN s.tier
            ELSE ${tierWithRank(sql`greatest(${rankOf(sql`s.tier`)}, ${rankOf(sql`k.credited_tier`)})`)} END,
          s.observed_at
        FROM s LEFT JOIN k ON true
        WHERE k.id IS NOT NULL OR EXISTS (SELECT 1 FROM bought) OR s.team_id IS NOT NULL AND s.tier IS NOT NULL
        ON CONFLICT (subscription_id) DO UPDATE SET tier = excluded.tier, price_id = excluded.price_id,
          amount_cents = excluded.amount_cents, currency = excluded.currency, status = excluded.status,
          period_start = excluded.period_start, period_end = excluded.period_end, cancel_at = excluded.cancel_at,
          latest_invoice_id = excluded.latest_invoice_id, past_due_since = excluded.past_due_since,
          credited_period_start = excluded.credited_period_start, credited_tier = excluded.credited_tier,
          observed_at = excluded.observed_at
        WHERE stored.observed_at < excluded.observed_at AND stored.status NOT IN ${ENDED}
        RETURNING stored.*
      ), standing AS (
        SELECT coalesce(max(${rankOf(sql`each.tier`)}), 1) AS rank FROM (
          SELECT status, past_due_since, latest_invoice_id, tier FROM written
          UNION ALL
          SELECT other.status, other.past_due_since, other.latest_invoice_id, other.tier
          FROM subscriptions other JOIN written ON other.team_id = written.team_id AND other.id <> written.id
        ) AS each
        WHERE each.tier IS NOT NULL AND ${counts(sql`each`, graceDays)}
      ), next AS (
        SELECT w.*, ${tierWithRank(sql`standing.rank`)} AS team_tier,
          ${paid} AND ${rankOf(sql`w.tier`)} = standing.rank AND (${isCycle}
            OR ${rankOf(sql`w.tier`)} > ${rankOf(sql`k.credited_tier`)}
            OR (SELECT subscription_tier FROM teams WHERE id = w.team_id) = 'free') AS is_filled
        FROM written w CROSS JOIN standing CROSS JOIN s LEFT JOIN k ON true
        -- A subscription that never counted takes nothing from a team whose tier has another reason.
        WHERE (w.tier IS NOT NULL OR k.tier IS NOT NULL)
          AND (${counts(sql`w`, graceDays)} OR k.status <> 'incomplete')
      ), moved AS (
        UPDATE teams SET subscription_tier = next.team_tier,
          bundled_credits = CASE WHEN next.team_tier = 'free' THEN 0
            WHEN next.is_filled THEN ${creditsOf(sql`next.tier`, credits)} ELSE bundled_credits END,
          credits_reset_at = CASE WHEN next.team_tier = 'free' THEN NULL
            WHEN next.team_tier <> next.tier THEN credits_reset_at
            WHEN NOT ${isAnnual(sql`next`)} THEN next.period_end
            WHEN next.is_filled THEN next.period_start + interval '1 month' ELSE credits_reset_at END
        FROM next WHERE teams.id = next.team_id
        RETURNING teams.id
      ), ${grantAgent(
        sql`SELECT w.team_id, w.agent_id, w.user_id, 'monthly', w.checkout_id, w.subscription_id,
          CASE WHEN w.status = 'past_due' THEN w.past_due_since + make_interval(days => ${graceDays}::int)
            -- The next period's payment may be late, and so may what tells of it.
            ELSE coalesce(w.cancel_at, w.period_end + make_interval(days => greatest(1, ${graceDays}::int))) END
        FROM written w
        WHERE w.agent_id IS NOT NULL AND w.team_id IS NOT NULL AND ${counts(sql`w`, graceDays)}`,
        "renewed",
      )}, ${endGrant(
        sql`SELECT NULL::uuid, w.subscription_id FROM written w WHERE w.status IN ${ENDED}`,
      )}, lapsed AS (
        UPDATE library_agents taken SET expires_at = now()
        FROM written w
        WHERE taken.subscription_id = w.subscription_id AND coalesce(taken.expires_at, 'infinity') > now()
          AND w.status NOT IN ${ENDED} AND NOT ${counts(sql`w`, graceDays)}
      ), ${insertAuditPart(
        sql`SELECT w.team_id, w.user_id, CASE WHEN k.id IS NULL THEN 'subscription.created'
            WHEN w.status IN ${ENDED} THEN 'subscription.ended' ELSE 'subscription.changed' END AS action,
          'subscription' AS resource_type, w.subscription_id AS resource_id,
          jsonb_strip_nulls(jsonb_build_object('status', w.status, 'tier', w.tier, 'agent_id', w.agent_id,
            'cancel_at', w.cancel_at)) AS details
        FROM written w LEFT JOIN k ON true
        WHERE (w.status, w.tier, w.cancel_at, w.period_start)
          IS DISTINCT FROM (k.status, k.tier, k.cancel_at, k.period_start)`,
      )}
      SELECT team_id AS "teamId", tier, agent_id AS "agentId", status, latest_invoice_id AS "paidInvoiceId" FROM written
    `),
  ]);
  return rows[0];
}
