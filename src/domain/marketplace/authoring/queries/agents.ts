import { and, eq, sql } from "drizzle-orm";
import { shareTeam } from "#src/db/locks.ts";
import { agents } from "#src/db/schema/index.ts";
import { isEntitled } from "#src/domain/organisations/library/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** An agent that a team sees in the marketplace, or may use; and whether it may. */
export async function agentToFork(db: Db, { teamId, id }: { teamId: string; id: string }) {
  const mayUse = isEntitled(sql`${teamId}::uuid`);
  const [row] = await db
    .select({ agent: agents, mayUse })
    .from(agents)
    .where(and(eq(agents.id, id), eq(agents.isActive, true), sql`(agents.is_published OR ${mayUse})`));
  return row;
}

export type Listing = Pick<
  typeof agents.$inferSelect,
  "sourceType" | "isForkable" | "pricingType" | "priceCents" | "slug"
>;

/** Lists a team's agent in the marketplace. Fails on `agents_listed_slug_unique` for a slug that is taken there. */
export function publishAgentRow(db: Db, which: Which, listing: Listing, entry: AuditEntry) {
  const change = { ...listing, isPublished: true, publishedAt: sql`coalesce(published_at, now())` };
  return updateListing(db, which, change, entry);
}

export function unpublishAgentRow(db: Db, which: Which, entry: AuditEntry) {
  return updateListing(db, which, { isPublished: false }, entry);
}

interface Which {
  teamId: string;
  id: string;
}

async function updateListing(
  db: Db,
  { teamId, id }: Which,
  change: Parameters<ReturnType<typeof db.update<typeof agents>>["set"]>[0],
  entry: AuditEntry,
) {
  const [, [updated]] = await db.batch([
    shareTeam(db, teamId),
    db
      .update(agents)
      .set({ ...change, updatedAt: sql`now()` })
      .where(and(eq(agents.id, id), eq(agents.teamId, teamId), eq(agents.isActive, true)))
      .returning({ id: agents.id, slug: agents.slug }),
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM agents WHERE id = ${id}::uuid AND team_id = ${teamId}::uuid AND is_active)`,
    ),
  ]);
  return updated;
}
