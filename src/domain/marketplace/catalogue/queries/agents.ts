import { and, count, eq, ne, sql, type SQL } from "drizzle-orm";
import { agents, users } from "#src/db/schema/index.ts";
import { isGuid } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newestReviews } from "./reviews.ts";
import {
  contains,
  creator,
  idsOfPage,
  orderOf,
  ratingOf,
  teamOfViewer,
  type CatalogueFilter,
} from "./shared.ts";

/** SQL condition: the marketplace lists the agent. */
const isListed = sql<boolean>`(agents.is_active AND agents.is_published)`;

/** SQL condition: the viewer's team has a row of the agent that counts, and is switched on. */
const isTaken = (userId: string | undefined): SQL<boolean> =>
  userId === undefined
    ? sql<boolean>`false`
    : sql<boolean>`EXISTS (
        SELECT 1 FROM library_agents AS taken WHERE taken.team_id = ${teamOfViewer(userId)}
          AND taken.agent_id = agents.id AND taken.is_active AND taken.ended_at IS NULL
          AND coalesce(taken.expires_at, 'infinity') > now()
      )`;

const fields = (userId: string | undefined) => ({
  agent: agents,
  creator,
  rating: ratingOf("agents"),
  isPurchased: isTaken(userId),
});

const where = (filter: CatalogueFilter): SQL | undefined =>
  and(
    isListed,
    filter.category === undefined ? undefined : eq(agents.category, filter.category),
    filter.pricingType === undefined ? undefined : sql`${agents.pricingType} = ${filter.pricingType}::text`,
    filter.creatorId === undefined
      ? undefined
      : sql`(agents.created_by = ${filter.creatorId}::uuid AND agents.team_id IS NOT NULL)`,
    filter.source === undefined
      ? undefined
      : sql`CASE WHEN agents.team_id IS NULL THEN 'official' ELSE 'local' END = ${filter.source}::text`,
    filter.search === undefined
      ? undefined
      : contains(sql`ARRAY[agents.name, agents.description] || agents.tags`, filter.search),
  );

/** A page of the agents in the marketplace, and their number. One round trip. */
export async function pageOfAgents(db: Db, filter: CatalogueFilter, userId: string | undefined) {
  const [rows, [total]] = await db.batch([
    db
      .select(fields(userId))
      .from(agents)
      .leftJoin(users, eq(users.id, agents.createdBy))
      .where(sql`${agents.id} IN ${idsOfPage("agents", where(filter), filter)}`)
      .orderBy(orderOf("agents", filter.sort)),
    db.select({ total: count() }).from(agents).where(where(filter)),
  ]);
  return { rows, total: total?.total ?? 0 };
}

/** An agent in the marketplace, or of the viewer's own team, with its newest reviews. One round trip. */
export async function agentWithReviews(db: Db, idOrSlug: string, userId: string | undefined) {
  const named = isGuid(idOrSlug) ? eq(agents.id, idOrSlug) : eq(agents.slug, idOrSlug);
  const isVisible = and(
    named,
    eq(agents.isActive, true),
    sql`(agents.is_published OR agents.team_id = ${teamOfViewer(userId)})`,
  );
  const first = sql`(SELECT agents.id FROM agents WHERE ${isVisible} ORDER BY agents.is_published DESC LIMIT 1)`;
  const [[row], reviews] = await db.batch([
    db
      .select({ ...fields(userId), viewerTeamId: teamOfViewer(userId) })
      .from(agents)
      .leftJoin(users, eq(users.id, agents.createdBy))
      .where(sql`${agents.id} = ${first}`),
    newestReviews(db, "agent", first),
  ]);
  return row && { ...row, reviews };
}

/** Agents that resemble another: of its category or with its tags, those that share most tags first. */
export function agentsLike(
  db: Db,
  agent: { id: string; category: string; tags: readonly string[] },
  { limit, userId }: { limit: number; userId: string | undefined },
) {
  const tags = sql`ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(agent.tags)}::jsonb))`;
  const shared = sql`(SELECT count(*) FROM unnest(agents.tags) AS tag WHERE tag = ANY (${tags}))`;
  return db
    .select(fields(userId))
    .from(agents)
    .leftJoin(users, eq(users.id, agents.createdBy))
    .where(
      and(
        isListed,
        ne(agents.id, agent.id),
        sql`(${agents.category} = ${agent.category} OR ${agents.tags} && ${tags})`,
      ),
    )
    .orderBy(sql`${shared} DESC, agents.category = ${agent.category} DESC, agents.downloads DESC, agents.id`)
    .limit(limit);
}

export type ListedAgent = Awaited<ReturnType<typeof pageOfAgents>>["rows"][number];
