import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import { oauthAccounts, users } from "#src/db/schema/index.ts";
import { appoint, namesAddress, type AdministratorConfig } from "#src/domain/access/administrators/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { grantBonus, type OpeningConfig } from "#src/domain/metering/credits/index.ts";
import { endWaysIn, holdAllInOwnTeam, shutOthersOut } from "#src/domain/people/ways-in/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProviderName } from "#src/platform/oauth/provider.ts";

const found = {
  id: users.id,
  isActive: users.isActive,
  isSuperuser: users.isSuperuser,
  isVerified: users.isVerified,
};

const hasEmail = (email: string | undefined) =>
  eq(sql`lower(${users.email})`, sql`lower(${email ?? null}::text)`);

/**
 * The account linked to a person at a provider, and the account that holds their address, otherwise the first that
 * claims it.
 */
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
    db
      .select(found)
      .from(users)
      .where(hasEmail(email))
      .orderBy(sql`${users.emailAskedAt} NULLS FIRST`, asc(users.id))
      .limit(1),
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

/** Links an account that is created in the same batch. */
export function insertLink(db: Db, { id, userId, provider, accountId, email }: Link) {
  return db.insert(oauthAccounts).values({ id, userId, provider, accountId, email });
}

/**
 * Links an account that still has the address and is active; no effect if its address changed or the person is already
 * linked. The address is then verified. If it was not verified before, the account may have been registered by another
 * person in advance: their ways in and the access they granted to others end. Only then can ADMIN_EMAIL make the
 * account an administrator, because by now only the owner of the address has it.
 *
 * Team and people are locked first, so that concurrent additions to either are visible to the statements that follow.
 * `revokedKeys` started tasks that are to be ended.
 */
export async function linkUser(
  { db, config }: { db: Db; config: AdministratorConfig & OpeningConfig },
  link: Link,
  entry: AuditEntry,
): Promise<{ linked: boolean; appointed: boolean; revokedKeys: string[] }> {
  const { id, userId, provider, accountId, email } = link;
  // The account is marked as verified last, because this condition reads whether it was.
  const changesHands = sql`EXISTS (
    SELECT 1 FROM oauth_accounts o JOIN users u ON u.id = o.user_id WHERE o.id = ${id}::uuid AND NOT u.is_verified
  )`;
  const [, , linked, appointed, , revoked] = await db.batch([
    ...holdAllInOwnTeam(db, userId),
    db.execute(sql`
      INSERT INTO oauth_accounts (id, user_id, provider, account_id, email)
      SELECT ${id}::uuid, u.id, ${provider}::text, ${accountId}::text, ${email}::text FROM users u
      WHERE u.id = ${userId}::uuid AND lower(u.email) = lower(${email}) AND u.is_active
      ON CONFLICT (provider, account_id) DO NOTHING
      RETURNING id
    `),
    ...appoint(db, userId, "ADMIN_EMAIL", sql`${changesHands} AND ${namesAddress(config, sql`users.email`)}`),
    ...shutOthersOut(db, userId, changesHands, id),
    ...endWaysIn(db, userId, changesHands),
    handOver(db, userId, changesHands),
    grantBonus(db, config, sql`${userId}::uuid`),
    insertAuditEntry(db, entry, sql`EXISTS (SELECT 1 FROM oauth_accounts o WHERE o.id = ${id}::uuid)`),
  ]);
  return {
    linked: linked.rows.length > 0,
    appointed: appointed.rows.length > 0,
    revokedKeys: revoked.rows.map((row) => row.id),
  };
}

function handOver(db: Db, userId: string, onlyIf: SQL) {
  return db.execute(sql`
    UPDATE users SET is_verified = true, email_asked_at = NULL, password_hash = NULL, updated_at = now()
    WHERE id = ${userId}::uuid AND ${onlyIf}
  `);
}
