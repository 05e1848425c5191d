import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import { refreshRecords, users } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export interface NewRefreshRecord {
  id: string;
  tokenHash: string;
  expiresAt: Date;
  userAgent: string;
  ipAddress: string;
}

export function insertRefreshRecord(db: Db, record: NewRefreshRecord & { userId: string; familyId: string }) {
  return db.insert(refreshRecords).values(record);
}

export function noteActivity(db: Db, userId: string) {
  return db
    .update(users)
    .set({ lastActiveAt: sql`now()` })
    .where(eq(users.id, userId));
}

/** A session is over when any of its records is revoked: one written at that very moment is over with it. */
const familyRevoked = (family: SQL) =>
  sql<boolean>`EXISTS (SELECT 1 FROM refresh_records f WHERE f.family_id = ${family} AND f.revoked_at IS NOT NULL)`;

/**
 * Use up a token and put its successor in its place, in one statement: of two that come with the same token at once,
 * one gets a row back and the other none.
 */
export async function rotateRefreshRecord(
  db: Db,
  tokenHash: string,
  next: NewRefreshRecord,
): Promise<{ userId: string; isSuperuser: boolean } | undefined> {
  const result = await db.execute<{ user_id: string; is_superuser: boolean }>(sql`
    WITH consumed AS (
      UPDATE refresh_records r SET used_at = now() FROM users u
      WHERE r.token_hash = ${tokenHash} AND u.id = r.user_id AND u.is_active
        AND r.used_at IS NULL AND r.expires_at > now()
        AND NOT ${familyRevoked(sql`r.family_id`)}
      RETURNING r.user_id, r.family_id, u.is_superuser
    ), successor AS (
      INSERT INTO refresh_records (id, user_id, family_id, token_hash, expires_at, user_agent, ip_address)
      SELECT ${next.id}::uuid, user_id, family_id, ${next.tokenHash}, ${next.expiresAt.toISOString()}::timestamptz,
        ${next.userAgent}, ${next.ipAddress}
      FROM consumed
    )
    SELECT user_id, is_superuser FROM consumed
  `);
  const [row] = result.rows;
  return row && { userId: row.user_id, isSuperuser: row.is_superuser };
}

export function refreshRecordByHash(db: Db, tokenHash: string) {
  return db
    .select({
      usedAt: refreshRecords.usedAt,
      revoked: familyRevoked(sql`${refreshRecords.familyId}`),
      expired: sql<boolean>`${refreshRecords.expiresAt} <= now()`,
    })
    .from(refreshRecords)
    .where(eq(refreshRecords.tokenHash, tokenHash));
}

/** End the session that a token belongs to, whichever token of the family it is. */
export function revokeFamilyOfToken(db: Db, tokenHash: string) {
  const presented = db
    .select({ familyId: refreshRecords.familyId })
    .from(refreshRecords)
    .where(eq(refreshRecords.tokenHash, tokenHash));
  return db
    .update(refreshRecords)
    .set({ revokedAt: sql`now()` })
    .where(and(sql`${refreshRecords.familyId} = (${presented})`, isNull(refreshRecords.revokedAt)));
}

/** End every session of a user. A query, so that it may join a batch. */
export function revokeSessionsOfUser(db: Db, userId: string) {
  return db
    .update(refreshRecords)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(refreshRecords.userId, userId), isNull(refreshRecords.revokedAt)));
}
