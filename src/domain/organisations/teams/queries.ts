import { and, asc, eq, sql } from "drizzle-orm";
import { lockPeople, lockPerson } from "#src/db/locks.ts";
import { teamMemberships, teams, users } from "#src/db/schema/index.ts";
import { hasSold, keepWorkedAgents } from "#src/db/sold-items.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { openingCredits, type OpeningConfig } from "#src/domain/metering/credits/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Inserts a personal team with its only member. Returns queries for the batch that creates the account. */
export function insertPersonalTeam(
  { db, config }: { db: Db; config: OpeningConfig },
  { isProved, ...team }: { id: string; userId: string; name: string; slug: string; isProved: boolean },
) {
  const credits = openingCredits(config, { isProved });
  return [
    db.insert(teams).values({ ...team, ...credits, isPersonal: true, createdBy: team.userId }),
    db.insert(teamMemberships).values({ teamId: team.id, userId: team.userId, role: "admin" }),
  ] as const;
}

/**
 * Creates a team with its creator as its administrator. Fails on `teams_slug_unique` for a taken slug; throws the refusal of
 * the ceiling on teams, which counts the personal one too.
 */
export async function insertTeam(
  { db, config }: { db: Db; config: CeilingConfig<"teams"> },
  team: { id: string; name: string; slug: string; createdBy: string },
  entry: AuditEntry,
): Promise<void> {
  const { id: teamId, createdBy: userId } = team;
  await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "teams", owner: userId }]),
      lockPerson(db, userId),
      db.insert(teams).values(team),
      db.insert(teamMemberships).values({ teamId, userId, role: "admin" }),
      insertAuditEntry(db, entry),
    ]),
  );
}

const membership = { teamId: teamMemberships.teamId, role: teamMemberships.role };

/** A user's default team, and the role there. */
export function defaultMembership(db: Db, userId: string) {
  return db
    .select(membership)
    .from(users)
    .innerJoin(
      teamMemberships,
      and(eq(teamMemberships.teamId, users.defaultTeamId), eq(teamMemberships.userId, users.id)),
    )
    .where(eq(users.id, userId));
}

export function membershipBySlug(db: Db, userId: string, teamSlug: string) {
  return db
    .select(membership)
    .from(teamMemberships)
    .innerJoin(teams, eq(teams.id, teamMemberships.teamId))
    .where(and(eq(teamMemberships.userId, userId), eq(teams.slug, teamSlug)));
}

/** Teams of a person and the role in each, in the order of joining, the personal one first; or one of them. */
export function teamsOfUser(db: Db, userId: string, teamId?: string) {
  return db
    .select({ team: teams, role: teamMemberships.role })
    .from(teamMemberships)
    .innerJoin(teams, eq(teams.id, teamMemberships.teamId))
    .where(
      and(
        eq(teamMemberships.userId, userId),
        teamId === undefined ? undefined : eq(teamMemberships.teamId, teamId),
      ),
    )
    .orderBy(asc(teamMemberships.createdAt), asc(teams.id));
}

/** A team, and the reader's role in it. */
export type OwnTeam = Awaited<ReturnType<typeof teamsOfUser>>[number];

/** Absent fields stay as they are. */
export type TeamChange = {
  [Field in "name" | "slug" | "avatarUrl"]?: (typeof teams.$inferSelect)[Field] | undefined;
};

/** Changes a team; no row for a deleted one. Fails on `teams_slug_unique` for a taken slug. */
export async function updateTeamRow(
  db: Db,
  teamId: string,
  change: TeamChange,
  entry: AuditEntry,
): Promise<void> {
  await db.batch([db.update(teams).set(change).where(eq(teams.id, teamId)), insertAuditEntry(db, entry)]);
}

/**
 * Deletes a team that is not personal, has no project and no agent that others pay for, and makes each member's personal
 * team their default. The lock on the team prevents concurrent creations of projects. Agents with which other teams worked
 * stay for their history, as deleted ones. `team` is the state that was found, if any.
 */
export async function deleteTeamRow(db: Db, teamId: string) {
  const [[team], , deleted] = await db.batch([
    db
      .select({
        name: teams.name,
        slug: teams.slug,
        isPersonal: teams.isPersonal,
        hasSold: hasSold(sql`${teamId}::uuid`),
      })
      .from(teams)
      .where(eq(teams.id, teamId))
      .for("update"),
    lockPeople(
      db,
      sql`${users.id} IN (SELECT user_id FROM team_memberships WHERE team_id = ${teamId}::uuid)`,
    ),
    db.execute(sql`
      WITH deleted AS (
        DELETE FROM teams WHERE id = ${teamId}::uuid AND NOT is_personal
          AND NOT EXISTS (SELECT 1 FROM projects WHERE team_id = ${teamId}::uuid)
          AND NOT ${hasSold(sql`${teamId}::uuid`)}
        RETURNING id
      ), ${keepWorkedAgents(sql`agents.team_id IN (SELECT id FROM deleted)`)}, sent_home AS (
        UPDATE users SET default_team_id = own.id FROM deleted, teams own, team_memberships m
        WHERE m.team_id = deleted.id AND users.id = m.user_id AND users.default_team_id = deleted.id
          AND own.is_personal AND own.created_by = users.id
      )
      SELECT id FROM deleted
    `),
  ]);
  return { team, deleted: deleted.rows.length > 0 };
}

/**
 * Makes a team the person's default. Waits for a concurrent removal from the team, or blocks it, at the person's row.
 * No row for a person who is not in the team.
 */
export async function setDefaultTeam(
  db: Db,
  { teamId, userId }: { teamId: string; userId: string },
): Promise<{ themePreset: string | null } | undefined> {
  const [, [updated]] = await db.batch([
    lockPerson(db, userId),
    db
      .update(users)
      .set({ defaultTeamId: teamId })
      .where(
        and(
          eq(users.id, userId),
          sql`EXISTS (SELECT 1 FROM team_memberships m WHERE m.team_id = ${teamId}::uuid AND m.user_id = ${userId}::uuid)`,
        ),
      )
      .returning({ themePreset: users.themePreset }),
  ]);
  return updated;
}

/**
 * Makes the personal team the default again for a person who has left the team. Returns a query for the batch of the
 * removal.
 */
export function leaveDefaultTeam(db: Db, { teamId, userId }: { teamId: string; userId: string }) {
  return db.execute(sql`
    UPDATE users SET default_team_id = own.id FROM teams own
    WHERE users.id = ${userId}::uuid AND users.default_team_id = ${teamId}::uuid
      AND own.is_personal AND own.created_by = users.id
      AND NOT EXISTS (SELECT 1 FROM team_memberships m WHERE m.team_id = ${teamId}::uuid AND m.user_id = ${userId}::uuid)
  `);
}
