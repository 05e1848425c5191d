import { asc, eq, sql, type SQL } from "drizzle-orm";
import { users } from "#src/db/schema/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Settings for accounts that become administrators automatically. */
export interface AdministratorConfig {
  ENVIRONMENT: "development" | "test" | "production";
  /** Addresses in lower case. */
  ADMIN_EMAIL: readonly string[];
}

/** Whether the first account of the installation becomes its administrator: outside production only. */
export function firstAccountGoverns({ ENVIRONMENT }: Pick<AdministratorConfig, "ENVIRONMENT">): boolean {
  return ENVIRONMENT !== "production";
}

function addressesOf(config: AdministratorConfig): readonly string[] {
  return firstAccountGoverns(config) ? [] : config.ADMIN_EMAIL;
}

/** Whether the holder of an address becomes an administrator once it is verified. */
export function isNamed(config: AdministratorConfig, email: string): boolean {
  return addressesOf(config).includes(email.toLowerCase());
}

/** As `isNamed`, for an address in a statement. */
export function namesAddress(config: AdministratorConfig, email: SQL): SQL<boolean> {
  const addresses = addressesOf(config).map((address) => sql`${address}::text`);
  return addresses.length === 0
    ? sql<boolean>`FALSE`
    : sql<boolean>`lower(${email}) IN (${sql.join(addresses, sql`, `)})`;
}

/**
 * Makes an active account an administrator. Returns queries for the batch of the decision; the first returns a row if
 * it had an effect. `reason` explains it in the trail, because no administrator did it. `onlyIf` can refer to the
 * account's row as `users`.
 */
export function appoint(db: Db, userId: string, reason: string, onlyIf: SQL = sql`TRUE`) {
  return setRole(db, userId, reason, { isSuperuser: true, onlyIf: sql`users.is_active AND ${onlyIf}` });
}

/** Takes the role of an administrator from an account. Returns queries for a batch, as `appoint` does. */
export function dismiss(db: Db, userId: string, reason: string) {
  return setRole(db, userId, reason, { isSuperuser: false, onlyIf: sql`TRUE` });
}

/** Recorded in the trail of administrators and in the account's own log, like an administrator's change. */
function setRole(
  db: Db,
  userId: string,
  reason: string,
  { isSuperuser, onlyIf }: { isSuperuser: boolean; onlyIf: SQL },
) {
  const actionId = newId();
  const action = "account.updated";
  const details = { fields: ["is_superuser"], is_superuser: isSuperuser };
  return [
    db.execute<{ id: string }>(sql`
      WITH done AS (
        UPDATE users SET is_superuser = ${isSuperuser}::boolean, updated_at = now()
        WHERE users.id = ${userId}::uuid AND users.is_superuser <> ${isSuperuser}::boolean AND ${onlyIf}
        RETURNING users.id
      )
      INSERT INTO admin_actions (id, action_type, target_type, target_id, reason, details)
      SELECT ${actionId}::uuid, ${action}::text, 'user', id::text, ${reason}::text, ${JSON.stringify(details)}::jsonb
      FROM done
      RETURNING target_id AS id
    `),
    insertAuditEntry(
      db,
      { userId, action, resourceType: "user", resourceId: userId, details },
      sql`EXISTS (SELECT 1 FROM admin_actions a WHERE a.id = ${actionId}::uuid)`,
    ),
  ] as const;
}

/** An action of an administrator, and the address that it came from. */
export interface AdministratorsDeed {
  adminId: string;
  address: string;
}

/** Notes an action that concerns no account. Returns a query, so that it can be part of the batch of the action. */
export function insertAdminAction(
  db: Db,
  { adminId, address }: AdministratorsDeed,
  { action, targetType, targetId }: { action: string; targetType: string; targetId: string },
  onlyIf: SQL = sql`TRUE`,
) {
  return db.execute(sql`
    INSERT INTO admin_actions (id, admin_id, action_type, target_type, target_id, ip_address)
    SELECT ${newId()}::uuid, ${adminId}::uuid, ${action}::text, ${targetType}::text, ${targetId}::text, ${address}::text
    WHERE ${onlyIf}`);
}

const account = {
  id: users.id,
  email: users.email,
  username: users.username,
  isActive: users.isActive,
  isVerified: users.isVerified,
  emailAskedAt: users.emailAskedAt,
  createdAt: users.createdAt,
};

export type Account = Awaited<ReturnType<typeof accountsByEmail>>[number];

/** The accounts with an address, in any case of letters: the one that holds it, otherwise all that claim it. */
export function accountsByEmail(db: Db, email: string) {
  return db
    .select(account)
    .from(users)
    .where(eq(sql`lower(${users.email})`, sql`lower(${email})`))
    .orderBy(sql`${users.emailAskedAt} NULLS FIRST`, asc(users.id));
}

export function administrators(db: Db) {
  return db.select(account).from(users).where(eq(users.isSuperuser, true)).orderBy(asc(users.id));
}
