import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { mailedTokens, users } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Purpose = (typeof mailedTokens.$inferSelect)["purpose"];

export interface NewLink {
  id: string;
  purpose: Purpose;
  tokenHash: string;
  lifeSeconds: number;
}

export interface MailedLink {
  userId: string;
  /** As the account has it. */
  email: string;
  expiresAt: Date;
}

/**
 * Put down a link for whoever has this address, in any case of letters: in one statement, so that an address nobody has takes
 * the same way. Nobody gets a link for what is settled already: an account that is not active, an address that is verified.
 */
export async function insertLink(db: Db, email: string, link: NewLink): Promise<MailedLink | undefined> {
  const result = await db.execute<{ user_id: string; email: string; expires_at: string }>(sql`
    INSERT INTO mailed_tokens (id, user_id, purpose, token_hash, email, expires_at)
    SELECT ${link.id}::uuid, u.id, ${link.purpose}, ${link.tokenHash}, u.email,
      now() + make_interval(secs => ${link.lifeSeconds}::double precision)
    FROM users u
    WHERE lower(u.email) = lower(${email}) AND u.is_active
      AND (${link.purpose} <> 'email_verification' OR NOT u.is_verified)
    RETURNING user_id, email, to_json(expires_at) AS expires_at
  `);
  const [row] = result.rows;
  return row && { userId: row.user_id, email: row.email, expiresAt: new Date(row.expires_at) };
}

/** What must hold of a token `t` of a user `u` that is to be redeemed. */
const isRedeemable = (purpose: Purpose, tokenHash: string) => sql`
  t.token_hash = ${tokenHash} AND t.purpose = ${purpose} AND t.used_at IS NULL AND t.expires_at > now()
  AND u.id = t.user_id AND u.is_active AND lower(u.email) = lower(t.email)
`;

export interface LinkHolder {
  userId: string;
  email: string;
  username: string;
}

/** Whose password a link may change. */
export async function holderOfReset(db: Db, tokenHash: string): Promise<LinkHolder | undefined> {
  const result = await db.execute<{ id: string; email: string; username: string }>(sql`
    SELECT u.id, u.email, u.username FROM mailed_tokens t, users u
    WHERE ${isRedeemable("password_reset", tokenHash)}
  `);
  const [row] = result.rows;
  return row && { userId: row.id, email: row.email, username: row.username };
}

/**
 * Redeem a link: it is used up, the password changes, the address counts as verified, and every session, login that waits for
 * a code, pairing link and other reset link of the account ends, in one statement. Of many at once one gets true. The account is locked
 * first: a session that is just being opened is seen by what ends them.
 */
export async function redeemReset(
  db: Db,
  { tokenHash, userId, passwordHash }: { tokenHash: string; userId: string; passwordHash: string },
  entry: AuditEntry,
): Promise<boolean> {
  const [, result] = await db.batch([
    db.execute(sql`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`),
    db.execute(sql`
      WITH redeemed AS (
        UPDATE mailed_tokens t SET used_at = now() FROM users u
        WHERE ${isRedeemable("password_reset", tokenHash)}
        RETURNING t.id, t.user_id
      ), changed AS (
        UPDATE users u SET password_hash = ${passwordHash}, is_verified = true, updated_at = now()
        FROM redeemed r WHERE u.id = r.user_id
        RETURNING u.id
      ), ended_sessions AS (
        UPDATE sessions s SET ended_at = now() FROM redeemed r
        WHERE s.user_id = r.user_id AND s.ended_at IS NULL
      ), ended_attempts AS (
        UPDATE login_attempts a SET used_at = now() FROM redeemed r
        WHERE a.user_id = r.user_id AND a.used_at IS NULL
      ), ended_pairings AS (
        UPDATE pairing_tokens p SET used_at = now() FROM redeemed r
        WHERE p.user_id = r.user_id AND p.used_at IS NULL
      ), ended_links AS (
        UPDATE mailed_tokens t SET used_at = now() FROM redeemed r
        WHERE t.user_id = r.user_id AND t.purpose = 'password_reset' AND t.used_at IS NULL AND t.id <> r.id
      )
      SELECT id FROM changed
    `),
    // The hash is salted: the account has it only if this batch changed it.
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM users u WHERE u.id = ${userId}::uuid AND u.password_hash = ${passwordHash})`,
    ),
  ]);
  return result.rows.length > 0;
}

/** Redeem a link that proves an address: answers whose. Of many at once one gets an answer. */
export async function redeemVerification(db: Db, tokenHash: string): Promise<string | undefined> {
  const result = await db.execute<{ id: string }>(sql`
    WITH redeemed AS (
      UPDATE mailed_tokens t SET used_at = now() FROM users u
      WHERE ${isRedeemable("email_verification", tokenHash)} AND NOT u.is_verified
      RETURNING t.user_id, t.email
    )
    UPDATE users u SET is_verified = true, updated_at = now() FROM redeemed r
    WHERE u.id = r.user_id AND lower(u.email) = lower(r.email)
    RETURNING u.id
  `);
  return result.rows[0]?.id;
}

/** Whether the address that a link proves is one that needs no proof any more. */
export function addressIsVerified(db: Db, tokenHash: string) {
  return db
    .select({ userId: users.id })
    .from(mailedTokens)
    .innerJoin(users, eq(users.id, mailedTokens.userId))
    .where(
      and(
        eq(mailedTokens.tokenHash, tokenHash),
        eq(mailedTokens.purpose, "email_verification"),
        sql`${mailedTokens.expiresAt} > now()`,
        sql`lower(${users.email}) = lower(${mailedTokens.email})`,
        users.isActive,
        users.isVerified,
      ),
    );
}

/** End the links that would change a user's password. A query, so that it may join a batch. */
export function endResetLinks(db: Db, userId: string) {
  return db
    .update(mailedTokens)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(mailedTokens.userId, userId),
        eq(mailedTokens.purpose, "password_reset"),
        isNull(mailedTokens.usedAt),
      ),
    );
}

/** Rows that have been void for a day. */
export function forgetOldLinks(db: Db) {
  return db.delete(mailedTokens).where(lt(mailedTokens.expiresAt, sql`now() - interval '1 day'`));
}
