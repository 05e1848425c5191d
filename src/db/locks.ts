import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { teams, users } from "./schema/index.ts";

/*
 * Row locks, as queries at the start of a batch: the queries that follow see everything that earlier holders of the
 * lock have committed. All batches take the locks in the same order, because otherwise two batches could deadlock and
 * PostgreSQL would abort one of them:
 *
 *   1. teams, several in the order of their ids;
 *   2. people, several in the order of their ids;
 *   3. their rows: sessions, links, keys, invitations, memberships, projects.
 *
 * An audit log entry takes a share lock on its team. So a batch that locks a person and writes an entry takes the share
 * lock on the team first.
 */

/** Serialises changes of a team's members. Holders of a share lock (`shareTeam`) are not blocked. */
export function lockTeam(db: Db, teamId: string) {
  return db.select({ name: teams.name }).from(teams).where(eq(teams.id, teamId)).for("no key update");
}

/**
 * Share lock for additions to a team and for its audit log: before the batch ends, the team can neither be deleted nor
 * locked by `lockOwnTeam`.
 */
export function shareTeam(db: Db, teamId: string) {
  return db.select({ id: teams.id }).from(teams).where(eq(teams.id, teamId)).for("key share");
}

const ownTeam = (userId: string) => and(eq(teams.createdBy, userId), teams.isPersonal);

/** As `shareTeam`, for a person's personal team, whose log has the entries that concern only that person. */
export function shareOwnTeam(db: Db, userId: string) {
  return db.select({ id: teams.id }).from(teams).where(ownTeam(userId)).for("key share");
}

/** Locks a person's personal team for a decision about its whole content; additions wait as well. */
export function lockOwnTeam(db: Db, userId: string) {
  return db.select({ id: teams.id }).from(teams).where(ownTeam(userId)).for("update");
}

/** Locks a person for a decision that depends on the person's rows, so that such decisions run one after another. */
export function lockPerson(db: Db, userId: string) {
  return lockPeople(db, eq(users.id, userId));
}

/** As `lockPerson`, for several people. */
export function lockPeople(db: Db, which: SQL) {
  return db.select({ id: users.id }).from(users).where(which).orderBy(users.id).for("no key update");
}

/**
 * Advisory locks, to the end of the batch, for counts that no row represents. Batches that use the same name run one
 * after another. Take them before any row lock, and several names always in the same order.
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
