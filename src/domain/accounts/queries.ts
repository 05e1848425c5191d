import { and, eq, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { users } from "#src/db/schema/index.ts";
import type { OpeningConfig } from "#src/domain/credits/index.ts";
import { insertPersonalTeam } from "#src/domain/teams/index.ts";
import { endLoginAttempts } from "#src/domain/two-factor/index.ts";
import { endWaysIn } from "#src/domain/ways-in/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type User = typeof users.$inferSelect;

export interface NewUser {
  id: string;
  email: string;
  username: string;
  name: string;
  slug: string;
  /** Null for somebody who signs in by other means. */
  passwordHash: string | null;
  defaultTeamId: string;
  isVerified?: boolean;
  avatarUrl?: string | null;
}

/** Queries that belong to the making of an account: all of it is stored, or nothing. */
export type Along = readonly BatchItem<"pg">[];

/** Any number that no other advisory lock of the service uses. */
const FIRST_ACCOUNT_LOCK = 7_310_001;

/**
 * Account, personal team and membership, or nothing. The first account of all is the administrator: while there is none,
 * registrations wait for one another, and the insert behind the lock sees what the winner has committed.
 */
export async function insertUser(
  deps: { db: Db; config: OpeningConfig },
  user: NewUser,
  along: Along = [],
): Promise<User | undefined> {
  const { db } = deps;
  const [, [created]] = await db.batch([
    db.execute(
      sql`SELECT pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK}::bigint) WHERE NOT EXISTS (SELECT 1 FROM users)`,
    ),
    db
      .insert(users)
      .values({ ...user, isSuperuser: sql`NOT EXISTS (SELECT 1 FROM users)` })
      .returning(),
    ...insertPersonalTeam(deps, {
      id: user.defaultTeamId,
      userId: user.id,
      name: `${user.name}'s team`,
      slug: `${user.slug}-team`,
    }),
    ...along,
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

type ProfileField = "avatarUrl" | "bio" | "twitterHandle" | "githubUsername" | "websiteUrl";
type Preference = "diagramModel" | "themePreset" | "chatPosition";
type Changeable = "email" | "username" | "name" | "passwordHash" | ProfileField | Preference;

/** What is absent stays as it is. */
export type UserChange = { [Field in Changeable]?: User[Field] | undefined };

/**
 * Change an account. A new password ends whatever else leads into it; another address ends the logins that wait for a code,
 * which would be mailed to where somebody with a session alone wants it. Whether an address is a new one is decided here:
 * what was read before may be old.
 */
export async function updateUser(db: Db, userId: string, change: UserChange): Promise<User | undefined> {
  const { email, passwordHash } = change;
  const stillVerified = sql`${users.isVerified} AND lower(${users.email}) = lower(${email}::text)`;
  // The hash is salted: the account has it only if this batch changed it.
  const isChanged = sql`EXISTS (
    SELECT 1 FROM users u WHERE u.id = ${userId}::uuid AND u.password_hash IS NOT DISTINCT FROM ${passwordHash}::text
  )`;
  const [[updated]] = await db.batch([
    db
      .update(users)
      .set({ ...change, ...(email !== undefined && { isVerified: stillVerified }), updatedAt: sql`now()` })
      .where(and(eq(users.id, userId), users.isActive))
      .returning(),
    ...(email === undefined ? [] : [endLoginAttempts(db, userId)]),
    ...(passwordHash === undefined ? [] : endWaysIn(db, userId, isChanged)),
  ]);
  return updated;
}
