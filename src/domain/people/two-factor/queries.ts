import { and, eq, isNotNull, isNull, lt, sql, type SQL } from "drizzle-orm";
import { authenticators, loginAttempts } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Lifetimes of a login attempt and of a code, in seconds. A code never outlives its attempt. */
export interface Lives {
  attemptSeconds: number;
  codeSeconds: number;
}

const seconds = (count: number) => sql`make_interval(secs => ${count}::double precision)`;

/**
 * Stores a login whose password was correct. No row when the account's password has changed since or the account is
 * inactive: the row is locked, so a concurrent change finishes first.
 */
export async function insertLoginAttempt(
  db: Db,
  attempt: {
    id: string;
    userId: string;
    passwordHash: string | null;
    tokenHash: string;
    codeHash: string | null;
  },
  { attemptSeconds, codeSeconds }: Lives,
): Promise<{ codeExpiresAt: Date } | undefined> {
  const result = await db.execute<{ code_expires_at: string }>(sql`
    INSERT INTO login_attempts (id, user_id, token_hash, code_hash, code_expires_at, expires_at)
    SELECT ${attempt.id}::uuid, u.id, ${attempt.tokenHash}, ${attempt.codeHash},
      now() + ${seconds(Math.min(codeSeconds, attemptSeconds))}, now() + ${seconds(attemptSeconds)}
    FROM users u
    WHERE u.id = ${attempt.userId}::uuid AND u.is_active
      AND u.password_hash IS NOT DISTINCT FROM ${attempt.passwordHash}::text
    FOR SHARE
    RETURNING to_json(code_expires_at) AS code_expires_at
  `);
  return codeExpiryOf(result.rows);
}

/** The conditions under which a code can be requested or tried for an attempt `a` of a user `u`. */
const isOpen = (tokenHash: string, maxAttempts: number) => sql`
  a.token_hash = ${tokenHash} AND a.used_at IS NULL AND a.expires_at > now() AND a.attempts < ${maxAttempts}
  AND u.id = a.user_id AND u.is_active
`;

export async function openAttempt(
  db: Db,
  tokenHash: string,
  maxAttempts: number,
): Promise<{ userId: string; email: string; isMailed: boolean } | undefined> {
  const result = await db.execute<{ user_id: string; email: string; is_mailed: boolean }>(sql`
    SELECT a.user_id, u.email, a.code_hash IS NOT NULL AS is_mailed FROM login_attempts a, users u WHERE ${isOpen(tokenHash, maxAttempts)}
  `);
  const [row] = result.rows;
  return row && { userId: row.user_id, email: row.email, isMailed: row.is_mailed };
}

/** Replaces a mailed code by another. The attempts so far stay counted. */
export async function replaceCode(
  db: Db,
  tokenHash: string,
  maxAttempts: number,
  { codeHash, codeSeconds }: { codeHash: string; codeSeconds: number },
): Promise<{ codeExpiresAt: Date } | undefined> {
  const result = await db.execute<{ code_expires_at: string }>(sql`
    UPDATE login_attempts a
    SET code_hash = ${codeHash}, code_expires_at = least(a.expires_at, now() + ${seconds(codeSeconds)})
    FROM users u WHERE a.code_hash IS NOT NULL AND ${isOpen(tokenHash, maxAttempts)}
    RETURNING to_json(a.code_expires_at) AS code_expires_at
  `);
  return codeExpiryOf(result.rows);
}

export interface CountedAttempt {
  id: string;
  userId: string;
  /** Of the mailed code; null where the authenticator app has the code. */
  codeHash: string | null;
  codeExpired: boolean;
  /** Including this one. */
  attempts: number;
}

/** Counts a try at the code, if one is left. Concurrent calls get at most as many rows as tries were left. */
export async function countAttempt(
  db: Db,
  tokenHash: string,
  maxAttempts: number,
): Promise<CountedAttempt | undefined> {
  const result = await db.execute<{
    id: string;
    user_id: string;
    code_hash: string | null;
    code_expired: boolean;
    attempts: number;
  }>(sql`
    UPDATE login_attempts a SET attempts = a.attempts + 1
    FROM users u WHERE ${isOpen(tokenHash, maxAttempts)}
    RETURNING a.id, a.user_id, a.code_hash, a.code_expires_at <= now() AS code_expired, a.attempts
  `);
  const [row] = result.rows;
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      codeHash: row.code_hash,
      codeExpired: row.code_expired,
      attempts: row.attempts,
    }
  );
}

export interface AttemptUser {
  id: string;
  isSuperuser: boolean;
  passwordHash: string | null;
}

/** Uses up an attempt whose code was correct. Of concurrent calls, only one gets the user. */
export async function useAttempt(
  db: Db,
  { id, codeHash }: { id: string; codeHash: string | null },
): Promise<AttemptUser | undefined> {
  const result = await db.execute<{ id: string; is_superuser: boolean; password_hash: string | null }>(sql`
    UPDATE login_attempts a SET used_at = now() FROM users u
    WHERE a.id = ${id}::uuid AND a.code_hash IS NOT DISTINCT FROM ${codeHash}::text AND a.used_at IS NULL AND a.expires_at > now()
      AND u.id = a.user_id AND u.is_active
    RETURNING u.id, u.is_superuser, u.password_hash
  `);
  const [row] = result.rows;
  return row && { id: row.id, isSuperuser: row.is_superuser, passwordHash: row.password_hash };
}

/** SQL condition: a user has an authenticator app that counts. */
export const hasAuthenticator = (userId: SQL): SQL<boolean> => sql<boolean>`EXISTS (
  SELECT 1 FROM authenticators AS app WHERE app.user_id = ${userId} AND app.confirmed_at IS NOT NULL
)`;

/** The secret of a user's authenticator app that counts. */
export async function secretOfAuthenticator(db: Db, userId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ secret: authenticators.encryptedSecret })
    .from(authenticators)
    .where(and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAt)));
  return row?.secret;
}

/** Accepts the code of a step. False for one that was accepted before, or is older than one that was. */
export async function acceptStep(db: Db, userId: string, step: number): Promise<boolean> {
  const rows = await db
    .update(authenticators)
    .set({ lastStep: step })
    .where(and(eq(authenticators.userId, userId), lt(authenticators.lastStep, step)))
    .returning({ id: authenticators.id });
  return rows.length > 0;
}

/** Uses up a recovery code. False for one that is not there any more. */
export async function useRecoveryCode(db: Db, userId: string, hash: string): Promise<boolean> {
  const rows = await db
    .update(authenticators)
    .set({ recoveryHashes: sql`array_remove(${authenticators.recoveryHashes}, ${hash}::text)` })
    .where(
      and(
        eq(authenticators.userId, userId),
        isNotNull(authenticators.confirmedAt),
        sql`${hash}::text = ANY (${authenticators.recoveryHashes})`,
      ),
    )
    .returning({ id: authenticators.id });
  return rows.length > 0;
}

/** Ends a user's logins that wait for a code. Returns a query for a batch, as in `endWaysIn`. */
export function endLoginAttempts(db: Db, userId: string, onlyIf?: SQL) {
  return db
    .update(loginAttempts)
    .set({ usedAt: sql`now()` })
    .where(and(eq(loginAttempts.userId, userId), isNull(loginAttempts.usedAt), onlyIf));
}

function codeExpiryOf([row]: { code_expires_at: string }[]): { codeExpiresAt: Date } | undefined {
  return row && { codeExpiresAt: new Date(row.code_expires_at) };
}
