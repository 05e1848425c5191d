import { and, eq, lt, sql, type SQL } from "drizzle-orm";
import { oauthAccounts, usedOauthStates, users } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProviderName } from "#src/platform/oauth/provider.ts";

/** Use a state up; false when it was used before. */
export async function consumeState(db: Db, state: { id: string; expiresAt: Date }): Promise<boolean> {
  const rows = await db
    .insert(usedOauthStates)
    .values({ id: state.id, expiresAt: state.expiresAt })
    .onConflictDoNothing()
    .returning({ id: usedOauthStates.id });
  return rows.length > 0;
}

/** Rows of states that nobody takes any more. A day more than that, since the clocks of service and database may differ. */
export function forgetExpiredOauthStates(db: Db) {
  return db.delete(usedOauthStates).where(lt(usedOauthStates.expiresAt, sql`now() - interval '1 day'`));
}

const found = {
  id: users.id,
  isActive: users.isActive,
  isSuperuser: users.isSuperuser,
  isVerified: users.isVerified,
};

const hasEmail = (email: string | undefined) =>
  eq(sql`lower(${users.email})`, sql`lower(${email ?? null}::text)`);

/** The account that is linked to somebody at a provider, and the one that has their address. */
export async function usersOf(
  db: Db,
  identity: { provider: ProviderName; accountId: string; email?: string },
) {
  const { provider, accountId, email } = identity;
  const [[linked], [sameEmail]] = await db.batch([
    db
      .select(found)
      .from(oauthAccounts)
      .innerJoin(users, eq(users.id, oauthAccounts.userId))
      .where(and(eq(oauthAccounts.provider, provider), eq(oauthAccounts.accountId, accountId))),
    db.select(found).from(users).where(hasEmail(email)),
  ]);
  return { linked, sameEmail };
}

interface Link {
  id: string;
  userId: string;
  provider: ProviderName;
  accountId: string;
  email: string;
}

/** A link of an account that is made in the same batch. */
export function insertLink(db: Db, { id, userId, provider, accountId, email }: Link) {
  return db.insert(oauthAccounts).values({ id, userId, provider, accountId, email });
}

/**
 * Link an account that still has the address; not where it has another, is not active, or the person is linked already. The
 * address is a verified one by that. If it was not before, whoever registered the account may be somebody else, who waits
 * for the owner of the address to come: every way in that they may have kept ends, and whoever they let in is out.
 *
 * Team and person are held first, in the order that others take them in: what was being added meanwhile is there by then,
 * and is seen by what follows. `revokedKeys` started tasks that are to end.
 */
export async function linkUser(
  db: Db,
  link: Link,
  entry: AuditEntry,
): Promise<{ linked: boolean; revokedKeys: string[] }> {
  const { id, userId, provider, accountId, email } = link;
  const isLinked = sql`EXISTS (SELECT 1 FROM oauth_accounts o WHERE o.id = ${id}::uuid)`;
  const [, , linked, revoked] = await db.batch([
    db.execute(sql`
      SELECT id FROM teams WHERE is_personal AND created_by = ${userId}::uuid FOR NO KEY UPDATE
    `),
    db.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update"),
    db.execute(sql`
      INSERT INTO oauth_accounts (id, user_id, provider, account_id, email)
      SELECT ${id}::uuid, u.id, ${provider}::text, ${accountId}::text, ${email}::text FROM users u
      WHERE u.id = ${userId}::uuid AND lower(u.email) = lower(${email}) AND u.is_active
      ON CONFLICT (provider, account_id) DO NOTHING
      RETURNING id
    `),
    shutOthersOut(db, link, isLinked),
    insertAuditEntry(db, entry, isLinked),
  ]);
  return { linked: linked.rows.length > 0, revokedKeys: revoked.rows.map((row) => row.id) };
}

/** Verifies the address of an account where that is new; then nothing goes on that began without it. Answers revoked keys. */
function shutOthersOut(db: Db, link: Link, onlyIf: SQL) {
  const { id, userId } = link;
  return db.execute<{ id: string }>(sql`
    WITH personal AS (
      SELECT id FROM teams WHERE is_personal AND created_by = ${userId}::uuid
    ), verified AS (
      UPDATE users SET is_verified = true, password_hash = NULL, updated_at = now(),
        default_team_id = coalesce((SELECT id FROM personal), default_team_id)
      WHERE id = ${userId}::uuid AND NOT is_verified AND ${onlyIf}
      RETURNING id
    ), own AS (
      SELECT personal.id FROM personal, verified
    ), sessions_ended AS (
      UPDATE sessions SET ended_at = now() FROM verified
      WHERE sessions.user_id = verified.id AND ended_at IS NULL
    ), logins_ended AS (
      UPDATE login_attempts SET used_at = now() FROM verified
      WHERE login_attempts.user_id = verified.id AND used_at IS NULL
    ), mailed_links_ended AS (
      UPDATE mailed_tokens SET used_at = now() FROM verified
      WHERE mailed_tokens.user_id = verified.id AND used_at IS NULL
    ), pairings_ended AS (
      UPDATE pairing_tokens SET used_at = now() FROM verified
      WHERE pairing_tokens.user_id = verified.id AND used_at IS NULL
    ), providers_unlinked AS (
      DELETE FROM oauth_accounts USING verified
      WHERE oauth_accounts.user_id = verified.id AND oauth_accounts.id <> ${id}::uuid
    ), invitations_revoked AS (
      UPDATE team_invitations SET revoked_at = now() FROM own
      WHERE team_invitations.team_id = own.id AND revoked_at IS NULL
    ), members_out AS (
      DELETE FROM team_memberships USING own
      WHERE team_memberships.team_id = own.id AND team_memberships.user_id <> ${userId}::uuid
    ), project_roles_out AS (
      DELETE FROM project_memberships USING own, projects
      WHERE projects.team_id = own.id AND project_memberships.project_id = projects.id
    )
    UPDATE external_api_keys SET is_active = false, key_hash = NULL, revoked_at = now() FROM verified
    WHERE is_active AND (external_api_keys.user_id = verified.id OR team_id IN (SELECT id FROM own))
    RETURNING external_api_keys.id
  `);
}
