import { and, count, eq, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import { lockTeam } from "#src/db/locks.ts";
import { projects, teams } from "#src/db/schema/index.ts";
import type { DeploysByTier } from "#src/domain/metering/tiers/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
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

/** SQL condition: the team has room for another always-on project. The alias is needed, because a caller updates `projects`. */
const roomIn = (teamId: string, most: DeploysByTier): SQL => sql`(
  SELECT (SELECT count(*) FROM projects AS other WHERE other.team_id = team.id AND other.deployed_at IS NOT NULL)
    < ${placesOfTeam(most)}
  FROM teams AS team WHERE team.id = ${teamId}::uuid
)`;

const isOff = ({ projectId, teamId }: AlwaysOnChange) =>
  sql`EXISTS (SELECT 1 FROM projects AS p WHERE p.id = ${projectId}::uuid AND p.team_id = ${teamId}::uuid AND p.deployed_at IS NULL)`;

/**
 * Marks a project as always on if its team has room, and writes an audit entry. Each request locks the team first, so that
 * the requests of a team decide one after another. Returns since when the project is always on: null if the team has no room,
 * undefined for a deleted project.
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

/** Removes the mark and writes an audit entry. Does neither if the project has no mark. */
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

/** Reads a team's tier, how many always-on places it bought, and how many projects and always-on projects it has. */
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
