import { sql, type SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** States of a subscription that no other state follows. */
export const ENDED = sql`('canceled', 'incomplete_expired')`;

const TIERS = sql`ARRAY['free', 'basic', 'pro', 'ultra']`;

/** SQL value: the rank of a tier; 1 is the free one. */
export function rankOf(tier: SQL): SQL<number> {
  return sql<number>`coalesce(array_position(${TIERS}, ${tier}), 1)`;
}

/** SQL value: the tier with a rank. */
export function tierWithRank(rank: SQL): SQL<string> {
  return sql<string>`(${TIERS})[${rank}]`;
}

/**
 * SQL condition: whether the row of a subscription grants what it is for. It does while it is paid, and for some days
 * while a payment is overdue; not while its last payment is back with the payer.
 */
export function counts(row: SQL, graceDays: number): SQL<boolean> {
  return sql<boolean>`(
    (${row}.status IN ('active', 'trialing')
      OR ${row}.status = 'past_due' AND ${row}.past_due_since + make_interval(days => ${graceDays}::int) > now())
    AND NOT ${isBack(row)})`;
}

/**
 * SQL condition: whether the last payment of a subscription is back with the payer. Only another payment lifts it: no
 * invoice of nothing, and none that is not paid.
 */
export function isBack(row: SQL): SQL<boolean> {
  return sql<boolean>`EXISTS (
      SELECT 1 FROM transactions paid
      WHERE paid.invoice_id = ${row}.latest_invoice_id AND paid.reverses_id IS NULL
        AND paid.amount_cents > 0 AND paid.reversed_cents >= paid.amount_cents
    )`;
}

/** Monthly bundled credits, by paid tier. */
export type BundledCredits = Readonly<Record<"basic" | "pro" | "ultra", number>>;

/** SQL value: the bundled credits of a tier. */
export function creditsOf(tier: SQL, credits: BundledCredits): SQL<number> {
  return sql<number>`CASE ${tier} WHEN 'basic' THEN ${credits.basic}::int WHEN 'pro' THEN ${credits.pro}::int
    WHEN 'ultra' THEN ${credits.ultra}::int ELSE 0 END`;
}

/** Periods of a year are filled each month; all others once. */
export const isAnnual = (row: SQL): SQL<boolean> =>
  sql<boolean>`(${row}.period_end - ${row}.period_start > interval '40 days')`;

/** What the tier of a team follows from, beside the rows of its subscriptions. */
export interface SyncRules {
  graceDays: number;
  credits: BundledCredits;
}

/**
 * Counts the tier of a team again from its subscriptions, after a payment of the current one that matches `which` went back
 * or was restored. A tier that comes back has its credits again. Returns a query for the batch that changes the payment,
 * behind the lock on the team.
 */
export function recountTier(db: Db, which: SQL, { graceDays, credits }: SyncRules) {
  return db.execute(sql`
    WITH changed AS (
      SELECT team_id FROM subscriptions WHERE ${which} AND tier IS NOT NULL AND status NOT IN ${ENDED} LIMIT 1
    ), next AS (
      SELECT changed.team_id, coalesce(max(${rankOf(sql`s.tier`)}), 1) AS rank
      FROM changed LEFT JOIN subscriptions s ON s.team_id = changed.team_id AND s.tier IS NOT NULL
        AND ${counts(sql`s`, graceDays)}
      GROUP BY changed.team_id
    )
    UPDATE teams SET subscription_tier = ${tierWithRank(sql`next.rank`)},
      bundled_credits = CASE WHEN next.rank = 1 THEN 0 WHEN next.rank > ${rankOf(sql`subscription_tier`)}
        THEN ${creditsOf(tierWithRank(sql`next.rank`), credits)} ELSE bundled_credits END,
      credits_reset_at = CASE WHEN next.rank > 1 THEN credits_reset_at END
    FROM next WHERE teams.id = next.team_id AND ${rankOf(sql`subscription_tier`)} <> next.rank
  `);
}
