import { and, desc, eq, exists, sql, type SQL } from "drizzle-orm";
import { lockPerson, shareOwnTeam } from "#src/db/locks.ts";
import { userApiKeys } from "#src/db/schema/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Draft } from "#src/db/statement.ts";

export type ModelKey = typeof userApiKeys.$inferSelect;

/** The values that a person sets for a key; `encryptedValue` is a Fernet token. */
export type KeyValues = Pick<
  ModelKey,
  "provider" | "authType" | "keyName" | "encryptedValue" | "baseUrl" | "providerMetadata" | "expiresAt"
>;

const active = (userId: string) => and(eq(userApiKeys.userId, userId), eq(userApiKeys.isActive, true));

/** A person's active keys, newest first; only those of `provider` if given. */
export function activeKeys(db: Db, userId: string, provider?: string): Promise<ModelKey[]> {
  return db
    .select()
    .from(userApiKeys)
    .where(and(active(userId), provider === undefined ? undefined : eq(userApiKeys.provider, provider)))
    .orderBy(desc(userApiKeys.createdAt), desc(userApiKeys.id));
}

/** The most active keys, and some deleted ones, which may still be valid at their provider. */
export const MOST_SEALED = 200;

/** All keys that a person ever stored, encrypted, newest first. */
export function sealedKeys(db: Draft, userId: string | SQL) {
  return db
    .select({ provider: userApiKeys.provider, encryptedValue: userApiKeys.encryptedValue })
    .from(userApiKeys)
    .where(eq(userApiKeys.userId, userId))
    .orderBy(desc(userApiKeys.isActive), desc(userApiKeys.id))
    .limit(MOST_SEALED);
}

export async function keyOfUser(db: Db, userId: string, id: string): Promise<ModelKey | undefined> {
  const [row] = await db
    .select()
    .from(userApiKeys)
    .where(and(eq(userApiKeys.userId, userId), eq(userApiKeys.id, id)));
  return row;
}

/**
 * Stores a key. Restores a deleted one of the same provider and name with the new values. Returns its id; `undefined`
 * if an active one has the name. Concurrent calls of one person run one after another behind the lock on the person's
 * row. Throws the refusal of the ceiling on keys.
 */
export async function putKey(
  { db, config }: { db: Db; config: CeilingConfig<"model_keys"> },
  key: KeyValues & { id: string; userId: string },
  entry: AuditEntry,
): Promise<{ id: string; isReused: boolean } | undefined> {
  const { id, userId, ...values } = key;
  const sameName = sql`user_id = ${userId}::uuid AND provider = ${key.provider}::text AND key_name = ${key.keyName}::text`;
  const written = { ...values, isActive: true, createdAt: sql`now()`, updatedAt: sql`now()` };
  const batch = db.batch([
    // A key whose name is taken is refused for that.
    ...roomFor(db, config, [{ ceiling: "model_keys", owner: userId, except: sameName }]),
    shareOwnTeam(db, userId),
    lockPerson(db, userId),
    db
      .update(userApiKeys)
      .set({ ...written, lastUsedAt: null })
      .where(
        and(
          sql`${userApiKeys.id} = (SELECT id FROM user_api_keys WHERE ${sameName} AND NOT is_active ORDER BY id DESC LIMIT 1)`,
          sql`NOT EXISTS (SELECT 1 FROM user_api_keys k WHERE ${sameName} AND k.is_active)`,
        ),
      )
      .returning({ id: userApiKeys.id }),
    db
      .insert(userApiKeys)
      .values({ id, userId, ...written })
      .onConflictDoNothing()
      .returning({ id: userApiKeys.id }),
    // Only rows that this batch's transaction wrote have this time.
    insertAuditEntry(
      db,
      entry,
      sql`EXISTS (SELECT 1 FROM user_api_keys WHERE ${sameName} AND is_active AND updated_at = now()::timestamptz(3))`,
    ),
  ]);
  const [, , , , [reused], [made]] = await whileThereIsRoom(batch);
  const stored = reused ?? made;
  return stored && { id: stored.id, isReused: reused !== undefined };
}

/** Changes an active key. Returns whether it exists. Fails on `user_api_keys_name_unique` if another has the name. */
export async function updateKey(
  db: Db,
  { userId, id }: { userId: string; id: string },
  change: Partial<Omit<KeyValues, "provider" | "authType">> & { isActive?: false },
  entry: Parameters<typeof insertAuditEntry>[1],
): Promise<boolean> {
  const which = and(active(userId), eq(userApiKeys.id, id));
  const found = db.select({ id: userApiKeys.id }).from(userApiKeys).where(which);
  const [, , , updated] = await db.batch([
    shareOwnTeam(db, userId),
    // Of concurrent calls, the second sees the result of the first.
    found.for("update"),
    insertAuditEntry(db, entry, exists(found)),
    db
      .update(userApiKeys)
      .set({ ...change, updatedAt: sql`now()` })
      .where(which)
      .returning({ id: userApiKeys.id }),
  ]);
  return updated.length > 0;
}

/**
 * Deletes an active key: the row stays as inactive, and the audit log entry names it. Returns whether the key existed.
 */
export function removeKey(
  db: Db,
  which: { userId: string; id: string },
  entry: AuditEntry,
): Promise<boolean> {
  const details = sql`(SELECT jsonb_build_object('provider', provider, 'key_name', key_name) FROM user_api_keys
    WHERE id = ${which.id}::uuid)`;
  return updateKey(db, which, { isActive: false }, { ...entry, details });
}
