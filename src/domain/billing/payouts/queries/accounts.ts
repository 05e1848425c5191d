import { eq, sql } from "drizzle-orm";
import { users } from "#src/db/schema/index.ts";
import { insertAuditPart } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A person's account at the provider. */
export async function accountOf(db: Db, userId: string): Promise<{ accountId: string | null } | undefined> {
  const [person] = await db
    .select({ accountId: users.stripeAccountId })
    .from(users)
    .where(eq(users.id, userId));
  return person;
}

/** Stores a person's account at the provider, unless they have one. Returns the one that they have. */
export async function storeAccount(db: Db, userId: string, accountId: string): Promise<string | undefined> {
  const { rows } = await db.execute<{ accountId: string }>(sql`
    WITH before AS (
      SELECT id, stripe_account_id FROM users WHERE id = ${userId}::uuid FOR UPDATE
    ), stored AS (
      UPDATE users SET stripe_account_id = coalesce(users.stripe_account_id, ${accountId}::text) FROM before
      WHERE users.id = before.id
      RETURNING users.id, users.stripe_account_id, before.stripe_account_id IS NULL AS is_new
    ), ${insertAuditPart(sql`
      SELECT teams.id AS team_id, stored.id AS user_id, 'payout.account_connected' AS action, 'user' AS resource_type,
        stored.id::text AS resource_id, NULL::jsonb AS details
      FROM stored JOIN teams ON teams.is_personal AND teams.created_by = stored.id WHERE stored.is_new`)}
    SELECT stripe_account_id AS "accountId" FROM stored
  `);
  return rows[0]?.accountId;
}
