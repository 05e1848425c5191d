import { and, eq, inArray, sql } from "drizzle-orm";
import { lockPeople } from "#src/db/locks.ts";
import { mailedTokens, teams, users } from "#src/db/schema/index.ts";
import { appoint, namesAddress, type AdministratorConfig } from "#src/domain/access/administrators/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { grantBonus, type OpeningConfig } from "#src/domain/metering/credits/index.ts";
import { endWaysIn, holdAllInOwnTeam, shutOthersOut } from "#src/domain/people/ways-in/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Configuration that decides what a proved address grants. */
export type ProofConfig = AdministratorConfig & OpeningConfig;

export type Purpose = (typeof mailedTokens.$inferSelect)["purpose"];

export interface NewLink {
  id: string;
  purpose: Purpose;
  tokenHash: string;
  lifeSeconds: number;
}

export interface MailedLink {
  userId: string;
  /** The address as the account spells it. */
  email: string;
  expiresAt: Date;
}

/** Whether an account `u` holds its address, or can come to hold it because no other account does. */
const mayHold = sql`(u.email_asked_at IS NULL OR NOT EXISTS (
  SELECT 1 FROM users h WHERE lower(h.email) = lower(u.email) AND h.email_asked_at IS NULL
))`;

/**
 * Stores a link for an account, or for an address in any case of letters: for the account that holds the address,
 * otherwise for the first that claims it. One statement, so that an unknown address takes the same path. No link is
 * stored for an inactive account, for the verification of a verified address, or, by id, for an address that another
 * account holds.
 */
export async function insertLink(
  db: Db,
  whose: { email: string } | { userId: string },
  link: NewLink,
): Promise<MailedLink | undefined> {
  const isWhose =
    "userId" in whose
      ? sql`u.id = ${whose.userId}::uuid AND ${mayHold}`
      : sql`u.id = (
          SELECT o.id FROM users o WHERE lower(o.email) = lower(${whose.email})
          ORDER BY o.email_asked_at NULLS FIRST, o.id LIMIT 1
        )`;
  const result = await db.execute<{ user_id: string; email: string; expires_at: string }>(sql`
    INSERT INTO mailed_tokens (id, user_id, purpose, token_hash, email, expires_at)
    SELECT ${link.id}::uuid, u.id, ${link.purpose}, ${link.tokenHash}, u.email,
      now() + make_interval(secs => ${link.lifeSeconds}::double precision)
    FROM users u
    WHERE ${isWhose} AND u.is_active
      AND (${link.purpose} <> 'email_verification' OR NOT u.is_verified)
    RETURNING user_id, email, to_json(expires_at) AS expires_at
  `);
  const [row] = result.rows;
  return row && { userId: row.user_id, email: row.email, expiresAt: new Date(row.expires_at) };
}

/** The conditions under which a token `t` of a user `u` can be redeemed. */
const isRedeemable = (purpose: Purpose, tokenHash: string) => sql`
  t.token_hash = ${tokenHash} AND t.purpose = ${purpose} AND t.used_at IS NULL AND t.expires_at > now()
  AND u.id = t.user_id AND u.is_active AND lower(u.email) = lower(t.email) AND ${mayHold}
`;

export interface LinkHolder {
  userId: string;
  email: string;
  username: string;
}

/** The account whose password a link may change. */
export async function holderOfReset(db: Db, tokenHash: string): Promise<LinkHolder | undefined> {
  const result = await db.execute<{ id: string; email: string; username: string }>(sql`
    SELECT u.id, u.email, u.username FROM mailed_tokens t, users u
    WHERE ${isRedeemable("password_reset", tokenHash)}
  `);
  const [row] = result.rows;
  return row && { userId: row.id, email: row.email, username: row.username };
}

/**
 * Redeems a reset link: the link is used up, the password changes, the address counts as verified, and the account's
 * sessions and pending ways in end (see `endWaysIn`). Of concurrent calls with one link, one returns true. Team and
 * account are locked first, so that a session which is being opened concurrently is ended, too.
 *
 * If the address was not proved before, or ADMIN_EMAIL now makes the account an administrator, every access that the
 * account's creator granted to others ends as well: from here on only the owner of the address has the account.
 */
export async function redeemReset(
  { db, config }: { db: Db; config: ProofConfig },
  { tokenHash, userId, passwordHash }: { tokenHash: string; userId: string; passwordHash: string },
  entry: AuditEntry,
): Promise<{ redeemed: boolean; revokedKeys: string[] }> {
  // Evaluated before the link is used up.
  const isAppointed = sql`(NOT u.is_superuser AND ${namesAddress(config, sql`u.email`)})`;
  const changesHands = sql`EXISTS (
    SELECT 1 FROM mailed_tokens t, users u
    WHERE ${isRedeemable("password_reset", tokenHash)} AND (NOT u.is_verified OR ${isAppointed})
  )`;
  // The hash is salted, so the account has this hash only if this batch changed it.
  const isChanged = sql`EXISTS (
    SELECT 1 FROM users u WHERE u.id = ${userId}::uuid AND u.password_hash = ${passwordHash}
  )`;
  const [, , revoked, , , , , , , , result] = await db.batch([
    ...holdAllInOwnTeam(db, userId),
    ...shutOthersOut(db, userId, changesHands),
    db.execute(sql`
      WITH redeemed AS (
        UPDATE mailed_tokens t SET used_at = now() FROM users u
        WHERE ${isRedeemable("password_reset", tokenHash)}
        RETURNING t.user_id
      )
      UPDATE users u SET password_hash = ${passwordHash}, is_verified = true, email_asked_at = NULL, updated_at = now()
      FROM redeemed r WHERE u.id = r.user_id
      RETURNING u.id
    `),
    ...endWaysIn(db, userId, isChanged),
    ...appoint(db, userId, "ADMIN_EMAIL", sql`${isChanged} AND ${namesAddress(config, sql`users.email`)}`),
    grantBonus(db, config, sql`${userId}::uuid`),
    insertAuditEntry(db, entry, isChanged),
  ]);
  return { redeemed: result.rows.length > 0, revokedKeys: revoked.rows.map(({ id }) => id) };
}

/**
 * Redeems a link that proves an address, and returns its account. Of concurrent calls with one link, one returns the
 * account. The account is locked first, as in every statement that ends its links.
 *
 * ADMIN_EMAIL makes the account an administrator only if `byUserId`, the person signed in where the link was opened, is
 * its holder: the link proves the address, but not that the address's owner chose the account's password.
 */
export async function redeemVerification(
  { db, config }: { db: Db; config: ProofConfig },
  tokenHash: string,
  byUserId: string | undefined,
): Promise<string | undefined> {
  const holder = db
    .select({ userId: mailedTokens.userId })
    .from(mailedTokens)
    .where(eq(mailedTokens.tokenHash, tokenHash));
  // The link's used_at equals now() only in the transaction that redeemed it.
  const isHolder = sql`${namesAddress(config, sql`users.email`)} AND users.is_verified AND EXISTS (
    SELECT 1 FROM mailed_tokens t
    WHERE t.token_hash = ${tokenHash} AND t.user_id = users.id AND t.used_at = now()::timestamptz(3)
  )`;
  const [, , result] = await db.batch([
    db
      .select({ id: teams.id })
      .from(teams)
      .where(and(teams.isPersonal, inArray(teams.createdBy, holder)))
      .for("no key update"),
    lockPeople(db, inArray(users.id, holder)),
    db.execute<{ id: string }>(sql`
      WITH redeemed AS (
        UPDATE mailed_tokens t SET used_at = now() FROM users u
        WHERE ${isRedeemable("email_verification", tokenHash)} AND NOT u.is_verified
        RETURNING t.user_id, t.email
      )
      UPDATE users u SET is_verified = true, email_asked_at = NULL, updated_at = now() FROM redeemed r
      WHERE u.id = r.user_id AND lower(u.email) = lower(r.email)
      RETURNING u.id
    `),
    grantBonus(db, config, sql`${holder}`),
    ...(byUserId === undefined ? [] : appoint(db, byUserId, "ADMIN_EMAIL", isHolder)),
  ]);
  return result.rows[0]?.id;
}

/** Whether the address that a link proves is already verified. */
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
