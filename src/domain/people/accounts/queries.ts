import { and, desc, eq, getTableColumns, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { users } from "#src/db/schema/index.ts";
import {
  appoint,
  firstAccountGoverns,
  isNamed,
  type AdministratorConfig,
} from "#src/domain/access/administrators/index.ts";
import type { OpeningConfig } from "#src/domain/metering/credits/index.ts";
import { insertPersonalTeam } from "#src/domain/organisations/teams/index.ts";
import { endLoginAttempts, hasAuthenticator } from "#src/domain/people/two-factor/index.ts";
import { endWaysIn } from "#src/domain/people/ways-in/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type User = typeof users.$inferSelect;

/** An account that an identifier may mean, at a sign-in. */
export type Candidate = User & { hasAuthenticator: boolean };

export interface NewUser {
  id: string;
  email: string;
  username: string;
  name: string;
  slug: string;
  /** Null for a person who signs in only through an OAuth provider. */
  passwordHash: string | null;
  defaultTeamId: string;
  isVerified?: boolean;
  /** Set for an account that only claims its address. */
  emailAskedAt?: Date | null;
  avatarUrl?: string | null;
}

/** Queries that join the batch which creates an account: all of it is stored, or nothing. */
export type Along = readonly BatchItem<"pg">[];

/** An arbitrary number that no other advisory lock of the service uses. */
const FIRST_ACCOUNT_LOCK = 7_310_001;

/** The configuration that creating an account needs. */
export type AccountConfig = OpeningConfig & AdministratorConfig;

/**
 * Creates account, personal team and membership in one batch. Outside production the first account is the
 * administrator: while there is none, registrations wait for one another at an advisory lock, and the insert behind the
 * lock sees what earlier registrations committed. In production, an account becomes administrator if ADMIN_EMAIL names
 * its address and the address was proved before the account is created.
 */
export async function insertUser(
  deps: { db: Db; config: AccountConfig },
  user: NewUser,
  along: Along = [],
): Promise<User | undefined> {
  const { db, config } = deps;
  const isFirst = firstAccountGoverns(config) ? sql`NOT EXISTS (SELECT 1 FROM users)` : sql`FALSE`;
  const isAppointed = user.isVerified === true && isNamed(config, user.email);
  const [, [created]] = await db.batch([
    db.execute(sql`SELECT pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK}::bigint) WHERE ${isFirst}`),
    db
      .insert(users)
      .values({ ...user, isSuperuser: isFirst })
      .returning(),
    ...insertPersonalTeam(deps, {
      id: user.defaultTeamId,
      userId: user.id,
      name: `${user.name}'s team`,
      slug: `${user.slug}-team`,
      isProved: user.isVerified === true,
    }),
    ...(isAppointed ? appoint(db, user.id, "ADMIN_EMAIL") : []),
    ...along,
  ]);
  return created && { ...created, isSuperuser: created.isSuperuser || isAppointed };
}

export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.select({ id: users.id }).from(users).limit(1)).length > 0;
}

/**
 * The accounts that this identifier may mean, in any case of letters: the one with this username, or the one that holds
 * this address and the newest that claims it. An address contains an `@`; a username does not.
 */
export async function usersByIdentifier(db: Db, identifier: string): Promise<Candidate[]> {
  const lowered = sql`lower(${identifier})`;
  const found = await db
    .select({ ...getTableColumns(users), hasAuthenticator: hasAuthenticator(sql`users.id`) })
    .from(users)
    .where(or(eq(sql`lower(${users.email})`, lowered), eq(sql`lower(${users.username})`, lowered)))
    .orderBy(sql`${users.emailAskedAt} DESC NULLS FIRST`, desc(users.id))
    .limit(2);
  return found[0]?.emailAskedAt ? found.slice(0, 1) : found;
}

export function userById(db: Db, userId: string) {
  return db.select().from(users).where(eq(users.id, userId));
}

type ProfileField = "avatarUrl" | "bio" | "twitterHandle" | "githubUsername" | "websiteUrl";
type Preference = "diagramModel" | "themePreset" | "chatPosition" | "taskMail" | "taskNotices";
type Changeable = "email" | "username" | "name" | "passwordHash" | ProfileField | Preference;

/** Absent fields stay as they are. */
export type UserChange = { [Field in Changeable]?: User[Field] | undefined };

/**
 * Changes an account. A new password ends the account's sessions and pending ways in (see `endWaysIn`). A new address
 * ends the logins that wait for a mailed code, since the code would go to an address that only the session's user
 * chose. This statement decides whether the address is new, because an earlier read may be stale. With `asksForEmail`
 * the account only claims the new address, which another account may hold.
 */
export async function updateUser(
  db: Db,
  userId: string,
  change: UserChange,
  { asksForEmail = false }: { asksForEmail?: boolean } = {},
): Promise<User | undefined> {
  const { email, passwordHash } = change;
  const isSame = sql`lower(${users.email}) = lower(${email}::text)`;
  const address = {
    isVerified: sql`${users.isVerified} AND ${isSame}`,
    emailAskedAt: sql`CASE WHEN ${isSame} THEN ${users.emailAskedAt} WHEN ${asksForEmail}::boolean THEN now() END`,
  };
  // The hash is salted, so the account has this hash only if this batch changed it.
  const isChanged = sql`EXISTS (
    SELECT 1 FROM users u WHERE u.id = ${userId}::uuid AND u.password_hash IS NOT DISTINCT FROM ${passwordHash}::text
  )`;
  const [[updated]] = await db.batch([
    db
      .update(users)
      .set({ ...change, ...(email !== undefined && address), updatedAt: sql`now()` })
      .where(and(eq(users.id, userId), users.isActive))
      .returning(),
    ...(email === undefined ? [] : [endLoginAttempts(db, userId)]),
    ...(passwordHash === undefined ? [] : endWaysIn(db, userId, isChanged)),
  ]);
  return updated;
}
