import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import { oauthAccounts, usedOauthStates, users } from "#src/db/schema/index.ts";
import {
  appoint,
  namesAddress,
  type AdministratorConfig,
} from "#src/domain/operations/administrators/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/organisations/audit/index.ts";
import { grantBonus, type OpeningConfig } from "#src/domain/billing/credits/index.ts";
import { endWaysIn, holdAllInOwnTeam, shutOthersOut } from "#src/domain/people/ways-in/index.ts";
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

const found = {
  id: users.id,
  isActive: users.isActive,
  isSuperuser: users.isSuperuser,
  isVerified: users.isVerified,
};

const hasEmail = (email: string | undefined) =>
  eq(sql`lower(${users.email})`, sql`lower(${email ?? null}::text)`);

/** The account that is linked to a person at a provider, and the one that holds their address, else the first that asked for it. */
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

/** A link of an account that is made in the same batch. */
export function insertLink(db: Db, { id, userId, provider, accountId, email }: Link) {
  return db.insert(oauthAccounts).values({ id, userId, provider, accountId, email });
}

/**
 * Link an account that still has the address; not where it has another, is not active, or the person is linked already. The
 * address is a verified one by that. If it was not before, whoever registered the account may be another person, who waits
 * for the owner of the address to come: every way in that they may have kept ends, and whoever they let in is out. Only then
 * ADMIN_EMAIL makes the account an administrator: nobody but the owner of the address has it by now.
 *
 * Team and people are held first: what was being added to either is there by then, and is seen by what follows.
 * `revokedKeys` started tasks that are to end.
 */
export async function linkUser(
  { db, config }: { db: Db; config: AdministratorConfig & OpeningConfig },
  link: Link,
  entry: AuditEntry,
): Promise<{ linked: boolean; appointed: boolean; revokedKeys: string[] }> {
  const { id, userId, provider, accountId, email } = link;
  // The account counts as verified last: until then it tells what decides.
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
