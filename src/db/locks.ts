import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { teams, users } from "./schema/index.ts";

/*
 * Locks on the rows that people wait at, as queries that come before all else in a batch: what follows them sees whatever
 * was committed by those who held the rows before. Everybody takes them in one order, or PostgreSQL would have to end one
 * of two that wait for each other:
 *
 *   1. teams, several in the order of their ids;
 *   2. people, several in the order of their ids;
 *   3. what belongs to them: sessions, links, keys, invitations, memberships, projects.
 *
 * An entry in the audit log shares its team, so whoever writes one after locking a person shares that team first.
 */

/** For whoever changes who belongs to a team: they wait for one another. Those who only share the team are let pass. */
export function lockTeam(db: Db, teamId: string) {
  return db.select({ name: teams.name }).from(teams).where(eq(teams.id, teamId)).for("no key update");
}

/** For whoever adds to a team, or writes to its log: it is not deleted, and changes hands not, before they are done. */
export function shareTeam(db: Db, teamId: string) {
  return db.select({ id: teams.id }).from(teams).where(eq(teams.id, teamId)).for("key share");
}

const ownTeam = (userId: string) => and(eq(teams.createdBy, userId), teams.isPersonal);

/** As `shareTeam`, of a person's personal team, where entries that concern the person alone go. */
export function shareOwnTeam(db: Db, userId: string) {
  return db.select({ id: teams.id }).from(teams).where(ownTeam(userId)).for("key share");
}

/** Locks a person's personal team for a decision about all that is in it: requests that add to it wait, too. */
export function lockOwnTeam(db: Db, userId: string) {
  return db.select({ id: teams.id }).from(teams).where(ownTeam(userId)).for("update");
}

/** Locks a person for a decision that depends on what the person is or has: such decisions wait for one another. */
export function lockPerson(db: Db, userId: string) {
  return lockPeople(db, eq(users.id, userId));
}

/** As `lockPerson`, for several people. */
export function lockPeople(db: Db, which: SQL) {
  return db.select({ id: users.id }).from(users).where(which).orderBy(users.id).for("no key update");
}

/**
 * For whoever counts what no row stands for and adds to it, until the end of the batch: those who name the same wait for one
 * another. Taken before any row, and in the order of the list, which must be the same for all who name several.
 */
export function lockNames(db: Db, names: readonly string[]) {
  const rows = sql.join(
    names.map((name) => sql`(${name}::text)`),
    sql`, `,
  );
  return db.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM (VALUES ${rows}) AS names (name)`,
  );
}
