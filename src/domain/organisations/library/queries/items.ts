import { sql, type SQL } from "drizzle-orm";
import { isGuid } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export type ItemKind = "agent" | "base";

/** What a team may take or buy, and what it has of it. */
export interface Item extends Record<string, unknown> {
  id: string;
  slug: string;
  name: string;
  pricingType: "free" | "one_time" | "monthly";
  priceCents: number;
  /** Who gets a share of its price; null for the service's own. */
  createdBy: string | null;
  isOwn: boolean;
  /** Whether the library has it, `off` when the team switched it off. */
  holding: "none" | "off" | "on";
  /** Whether the team paid for it for good and removed it: it may have it back without paying again. */
  isPaid: boolean;
}

/** SQL condition: a library's row was paid by a checkout of which nothing went back to the payer. */
export const paidFor = (row: string): SQL => sql`(${sql.raw(row)}.purchase_type = 'one_time' AND EXISTS (
    SELECT 1 FROM checkouts WHERE checkouts.id = ${sql.raw(row)}.checkout_id AND checkouts.status = 'paid'
      AND NOT EXISTS (
        SELECT 1 FROM transactions WHERE transactions.checkout_id = checkouts.id AND transactions.reversed_cents > 0
      )
  ))`;

/** Condition on the id or slug of the row `name`. Slugs are unique among what is listed. */
const isNamed = (name: "agents" | "bases", idOrSlug: string): SQL =>
  isGuid(idOrSlug)
    ? sql`${sql.raw(name)}.id = ${idOrSlug}::uuid`
    : sql`${sql.raw(name)}.slug = ${idOrSlug}::text`;

/** An item that is in the marketplace, or is the team's or the person's own. */
export async function findItem(
  db: Db,
  { kind, name, teamId, userId }: { kind: ItemKind; name: string; teamId: string; userId: string },
): Promise<Item | undefined> {
  const item =
    kind === "agent"
      ? sql`
        SELECT agents.id, agents.slug, agents.name, agents.pricing_type AS "pricingType",
          agents.price_cents AS "priceCents",
          CASE WHEN agents.team_id IS NOT NULL THEN agents.created_by END AS "createdBy",
          coalesce(agents.team_id = ${teamId}::uuid, false) AS "isOwn",
          CASE WHEN had.ended_at IS NULL AND coalesce(had.expires_at, 'infinity') > now() THEN
            CASE had.is_active WHEN true THEN 'on' WHEN false THEN 'off' ELSE 'none' END ELSE 'none' END AS holding,
          ${paidFor("had")} AS "isPaid"
        FROM agents LEFT JOIN library_agents had ON had.agent_id = agents.id AND had.team_id = ${teamId}::uuid
        WHERE ${isNamed("agents", name)} AND agents.is_active
          AND (agents.is_published OR agents.team_id = ${teamId}::uuid)
        ORDER BY agents.is_published DESC LIMIT 1`
      : sql`
        SELECT bases.id, bases.slug, bases.name, bases.pricing_type AS "pricingType", bases.price_cents AS "priceCents",
          bases.created_by AS "createdBy", coalesce(bases.created_by = ${userId}::uuid, false) AS "isOwn",
          CASE WHEN had.base_id IS NOT NULL AND had.ended_at IS NULL THEN 'on' ELSE 'none' END AS holding,
          ${paidFor("had")} AS "isPaid"
        FROM bases LEFT JOIN library_bases had ON had.base_id = bases.id AND had.team_id = ${teamId}::uuid
        WHERE ${isNamed("bases", name)} AND (bases.visibility = 'public' OR bases.created_by = ${userId}::uuid)`;
  const { rows } = await db.execute<Item>(item);
  return rows[0];
}
