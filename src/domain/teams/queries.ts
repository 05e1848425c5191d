import { and, eq } from "drizzle-orm";
import { teamMemberships, teams, users } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A team of one's own with its only member, as queries for the batch that makes the account. */
export function insertPersonalTeam(db: Db, team: { id: string; userId: string; name: string; slug: string }) {
  return [
    db.insert(teams).values({ ...team, isPersonal: true, createdBy: team.userId }),
    db.insert(teamMemberships).values({ teamId: team.id, userId: team.userId, role: "admin" }),
  ] as const;
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
