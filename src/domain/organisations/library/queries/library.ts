import { and, desc, eq, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { pictureAddress } from "#src/db/picture-address.ts";
import { agentModels, agents, bases, libraryAgents, libraryBases, users } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Who made an agent, as it is shown. */
const creator = { name: users.name, username: users.username, avatarUrl: pictureAddress };

/** SQL condition: the agent that works where no other is chosen. It is not listed in the marketplace. */
const IS_DEFAULT = sql<boolean>`(${agents.teamId} IS NULL AND ${agents.slug} = 'system-default')`;

/**
 * The agents that a team has: the default agent, its own, and those of its library that have not ended, in this order,
 * newest first.
 */
export function agentsInLibrary(db: Db, { teamId, userId }: { teamId: string; userId: string }) {
  return db
    .select({
      agent: agents,
      row: libraryAgents,
      creator,
      selectedModel: agentModels.model,
      isDefault: IS_DEFAULT,
    })
    .from(agents)
    .leftJoin(
      libraryAgents,
      and(
        eq(libraryAgents.agentId, agents.id),
        eq(libraryAgents.teamId, teamId),
        isNull(libraryAgents.endedAt),
      ),
    )
    .leftJoin(users, eq(users.id, agents.createdBy))
    .leftJoin(agentModels, and(eq(agentModels.agentId, agents.id), eq(agentModels.userId, userId)))
    .where(
      and(
        eq(agents.isActive, true),
        or(IS_DEFAULT, eq(agents.teamId, teamId), isNotNull(libraryAgents.agentId)),
      ),
    )
    .orderBy(
      desc(IS_DEFAULT),
      desc(sql`coalesce(${agents.teamId} = ${teamId}::uuid, false)`),
      desc(agents.createdAt),
      desc(agents.id),
    )
    .limit(500);
}

export type LibraryAgent = Awaited<ReturnType<typeof agentsInLibrary>>[number];

/** The templates that a team has taken, newest first. */
export function basesInLibrary(db: Db, teamId: string) {
  return db
    .select({ base: bases, row: libraryBases })
    .from(libraryBases)
    .innerJoin(bases, eq(bases.id, libraryBases.baseId))
    .where(and(eq(libraryBases.teamId, teamId), isNull(libraryBases.endedAt)))
    .orderBy(desc(libraryBases.createdAt), desc(bases.id))
    .limit(500);
}

interface Row {
  teamId: string;
  agentId: string;
}

const thatRow = ({ teamId, agentId }: Row): SQL =>
  sql`team_id = ${teamId}::uuid AND agent_id = ${agentId}::uuid AND ended_at IS NULL`;

/** Switches an agent of the library on or off. False for an agent that the library does not have, or no longer. */
export async function switchAgent(
  db: Db,
  row: Row & { isActive: boolean },
  entry: AuditEntry,
): Promise<boolean> {
  const [, , { rows }] = await db.batch([
    lockNames(db, [`library:${row.teamId}`]),
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM library_agents WHERE ${thatRow(row)} AND is_active <> ${row.isActive}::boolean)`,
    ),
    db.execute(sql`
      UPDATE library_agents SET is_active = ${row.isActive}::boolean WHERE ${thatRow(row)} RETURNING agent_id
    `),
  ]);
  return rows.length > 0;
}

/** Whether a row's subscription is not over; also one that is cancelled may be renewed until then. */
const IS_SUBSCRIBED = sql`EXISTS (
  SELECT 1 FROM subscriptions WHERE subscriptions.subscription_id = library_agents.subscription_id
    AND subscriptions.status NOT IN ('canceled', 'incomplete_expired')
)`;

/** Removes an agent from the library, unless it is subscribed to. */
export async function removeAgent(
  db: Db,
  row: Row,
  entry: AuditEntry,
): Promise<"removed" | "subscribed" | "missing"> {
  const [, , { rows: removed }, { rows: left }] = await db.batch([
    lockNames(db, [`library:${row.teamId}`]),
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM library_agents WHERE ${thatRow(row)} AND NOT ${IS_SUBSCRIBED})`,
    ),
    db.execute(sql`
      UPDATE library_agents SET ended_at = now() WHERE ${thatRow(row)} AND NOT ${IS_SUBSCRIBED} RETURNING agent_id
    `),
    db.execute(sql`SELECT agent_id FROM library_agents WHERE ${thatRow(row)}`),
  ]);
  if (removed.length > 0) return "removed";
  return left.length > 0 ? "subscribed" : "missing";
}
