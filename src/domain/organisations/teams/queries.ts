import { and, asc, eq, sql } from "drizzle-orm";
import { lockPeople, lockPerson } from "#src/db/locks.ts";
import { teamMemberships, teams, users } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/organisations/audit/index.ts";
import { openingCredits, type OpeningConfig } from "#src/domain/billing/credits/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A team of one's own with its only member, as queries for the batch that makes the account. */
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

/** How many teams a person may own: those one made, the personal one among them. */
export interface TeamLimit {
  /** 0 is no limit. */
  MAX_TEAMS_PER_USER: number;
}

/**
 * A team with its maker as its administrator; false, and nothing is written, for a person who owns as many as one may. Makers
 * are held, so that of two teams at once the second is counted with the first. Fails on `teams_slug_unique` where the slug is
 * taken.
 */
export async function insertTeam(
  { db, config: { MAX_TEAMS_PER_USER: limit } }: { db: Db; config: TeamLimit },
  { id, name, slug, createdBy }: { id: string; name: string; slug: string; createdBy: string },
  entry: AuditEntry,
): Promise<boolean> {
  const [, made] = await db.batch([
    lockPerson(db, createdBy),
    db.execute(sql`
      WITH made AS (
        INSERT INTO teams (id, name, slug, created_by)
        SELECT ${id}::uuid, ${name}::text, ${slug}::text, ${createdBy}::uuid
        WHERE ${limit}::int = 0 OR (SELECT count(*) FROM teams WHERE created_by = ${createdBy}::uuid) < ${limit}::int
        RETURNING id, created_by
      )
      INSERT INTO team_memberships (team_id, user_id, role) SELECT id, created_by, 'admin' FROM made
      RETURNING team_id
    `),
    insertAuditEntry(db, entry),
  ]);
  return made.rows.length > 0;
}

const membership = { teamId: teamMemberships.teamId, role: teamMemberships.role };

/** The team a user works in when none is named, and as what. */
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

/** Teams that a person belongs to, and as what, in the order of joining: the personal one is the first. Or one of them. */
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

/** A team, and what the reader is in it. */
export type OwnTeam = Awaited<ReturnType<typeof teamsOfUser>>[number];

/** What is absent stays as it is. */
export type TeamChange = {
  [Field in "name" | "slug" | "avatarUrl"]?: (typeof teams.$inferSelect)[Field] | undefined;
};

/** Change a team that may be gone by now. Fails on `teams_slug_unique` where the slug is taken. */
export async function updateTeamRow(
  db: Db,
  teamId: string,
  change: TeamChange,
  entry: AuditEntry,
): Promise<void> {
  await db.batch([db.update(teams).set(change).where(eq(teams.id, teamId)), insertAuditEntry(db, entry)]);
}

/**
 * Delete a team that is nobody's own and has no project, and give its members their personal team for their default one.
 * Behind the lock on the team nobody makes a project in it. `team` is what was found, if anything.
 */
export async function deleteTeamRow(db: Db, teamId: string) {
  const [[team], , deleted] = await db.batch([
    db
      .select({ name: teams.name, slug: teams.slug, isPersonal: teams.isPersonal })
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
        RETURNING id
      ), sent_home AS (
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
 * Make a team the one a person works in when none is named. A removal that comes at the same time waits at the person's
 * row, or is waited for there. No row for a person who is not in the team.
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

/** Send a person who is not in the team any more back to the personal one. A query for the batch of the removal. */
export function leaveDefaultTeam(db: Db, { teamId, userId }: { teamId: string; userId: string }) {
  return db.execute(sql`
    UPDATE users SET default_team_id = own.id FROM teams own
    WHERE users.id = ${userId}::uuid AND users.default_team_id = ${teamId}::uuid
      AND own.is_personal AND own.created_by = users.id
      AND NOT EXISTS (SELECT 1 FROM team_memberships m WHERE m.team_id = ${teamId}::uuid AND m.user_id = ${userId}::uuid)
  `);
}
