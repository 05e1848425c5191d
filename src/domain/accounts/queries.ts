import { and, eq, or, sql } from "drizzle-orm";
import { users } from "#src/db/schema/index.ts";
import { revokeSessionsOfUser } from "#src/domain/sessions/index.ts";
import { insertPersonalTeam } from "#src/domain/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type User = typeof users.$inferSelect;

export interface NewUser {
  id: string;
  email: string;
  username: string;
  name: string;
  slug: string;
  passwordHash: string;
  defaultTeamId: string;
}

/** Any number that no other advisory lock of the service uses. */
const FIRST_ACCOUNT_LOCK = 7_310_001;

/**
 * Account, personal team and membership, or nothing. The first account of all is the administrator: while there is none,
 * registrations wait for one another, and the insert behind the lock sees what the winner has committed.
 */
export async function insertUser(db: Db, user: NewUser): Promise<User | undefined> {
  const [, [created]] = await db.batch([
    db.execute(
      sql`SELECT pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK}::bigint) WHERE NOT EXISTS (SELECT 1 FROM users)`,
    ),
    db
      .insert(users)
      .values({ ...user, isSuperuser: sql`NOT EXISTS (SELECT 1 FROM users)` })
      .returning(),
    ...insertPersonalTeam(db, {
      id: user.defaultTeamId,
      userId: user.id,
      name: `${user.name}'s team`,
      slug: `${user.slug}-team`,
    }),
  ]);
  return created;
}

/** The account with this email or username, in any case of letters. An address has an `@`, a username has none. */
export function userByIdentifier(db: Db, identifier: string) {
  const lowered = sql`lower(${identifier})`;
  return db
    .select()
    .from(users)
    .where(or(eq(sql`lower(${users.email})`, lowered), eq(sql`lower(${users.username})`, lowered)));
}

export function userById(db: Db, userId: string) {
  return db.select().from(users).where(eq(users.id, userId));
}

/** What is absent stays as it is. */
export type UserChange = {
  [Field in "email" | "username" | "name" | "passwordHash" | "isVerified"]?: User[Field] | undefined;
};

/** Change an account; a new password ends every session that was opened with the old one. */
export async function updateUser(db: Db, userId: string, change: UserChange): Promise<User | undefined> {
  const update = db
    .update(users)
    .set({ ...change, updatedAt: sql`now()` })
    .where(and(eq(users.id, userId), users.isActive))
    .returning();
  if (change.passwordHash === undefined) return (await update)[0];
  const [[updated]] = await db.batch([update, revokeSessionsOfUser(db, userId)]);
  return updated;
}
