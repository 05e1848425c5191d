import { and, count, eq, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import { lockTeam } from "#src/db/locks.ts";
import { projects, teams } from "#src/db/schema/index.ts";
import type { DeploysByTier } from "#src/domain/billing/tiers/index.ts";
import { insertAuditEntry } from "#src/domain/organisations/audit/index.ts";
import { placesOfTeam } from "#src/domain/workspaces/lifecycle/index.ts";
import type { Client } from "#src/lib/client.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A project of a team, and who acts. */
export interface AlwaysOnChange {
  projectId: string;
  teamId: string;
  userId: string;
  client: Client;
}

const entryOf = ({ projectId, teamId, userId, client }: AlwaysOnChange) => ({
  userId,
  teamId,
  projectId,
  resourceType: "project",
  resourceId: projectId,
  client,
});

/** Number of a team's always-on projects, and how many it may have. The table's name is its own, because a query counts it. */
const roomIn = (teamId: string, most: DeploysByTier): SQL => sql`(
  SELECT (SELECT count(*) FROM projects AS other WHERE other.team_id = team.id AND other.deployed_at IS NOT NULL)
    < ${placesOfTeam(most)}
  FROM teams AS team WHERE team.id = ${teamId}::uuid
)`;

const isOff = ({ projectId, teamId }: AlwaysOnChange) =>
  sql`EXISTS (SELECT 1 FROM projects AS p WHERE p.id = ${projectId}::uuid AND p.team_id = ${teamId}::uuid AND p.deployed_at IS NULL)`;

/**
 * Marks a project as always on, if its team has a place left, and writes an entry. Requests of one team decide one after
 * another, since each locks the team first. Returns since when it is always on: null where there is no place, `undefined` for
 * a deleted project.
 */
export async function markAlwaysOn(
  db: Db,
  change: AlwaysOnChange,
  most: DeploysByTier,
): Promise<Date | null | undefined> {
  const { projectId, teamId } = change;
  const room = roomIn(teamId, most);
  const [, , , [row]] = await db.batch([
    lockTeam(db, teamId),
    insertAuditEntry(
      db,
      { ...entryOf(change), action: "project.always_on" },
      sql`${isOff(change)} AND ${room}`,
    ),
    db
      .update(projects)
      .set({ deployedAt: sql`now()`, idleWarnedAt: null, updatedAt: sql`now()` })
      .where(and(eq(projects.id, projectId), eq(projects.teamId, teamId), isNull(projects.deployedAt), room)),
    db.select({ deployedAt: projects.deployedAt }).from(projects).where(eq(projects.id, projectId)),
  ]);
  return row?.deployedAt;
}

/** Takes the mark away and writes an entry; neither where there is none. */
export async function unmarkAlwaysOn(db: Db, change: AlwaysOnChange): Promise<void> {
  const { projectId, teamId } = change;
  const isOn = sql`EXISTS (SELECT 1 FROM projects AS p WHERE p.id = ${projectId}::uuid AND p.deployed_at IS NOT NULL)`;
  await db.batch([
    lockTeam(db, teamId),
    insertAuditEntry(db, { ...entryOf(change), action: "project.not_always_on" }, isOn),
    db
      .update(projects)
      .set({ deployedAt: null, updatedAt: sql`now()` })
      .where(and(eq(projects.id, projectId), isNotNull(projects.deployedAt))),
  ]);
}

/** A team's tier, the deployments that it bought, and the number of its projects and of those that are always on. */
export async function placesOf(db: Db, teamId: string) {
  const [[team], [counted]] = await db.batch([
    db
      .select({ tier: teams.subscriptionTier, bought: teams.deploySlots })
      .from(teams)
      .where(eq(teams.id, teamId)),
    db
      .select({ projects: count(), deploys: count(projects.deployedAt) })
      .from(projects)
      .where(eq(projects.teamId, teamId)),
  ]);
  return team && counted && { ...team, ...counted };
}
