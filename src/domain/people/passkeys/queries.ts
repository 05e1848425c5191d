import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import { lockPerson, shareOwnTeam } from "#src/db/locks.ts";
import { passkeys } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProviderName } from "#src/platform/oauth/provider.ts";

export type Passkey = typeof passkeys.$inferSelect;

/** A person's passkeys, the oldest first. */
export function passkeysOf(db: Db, userId: string): Promise<Passkey[]> {
  return db.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.id));
}

export async function passkeyOf(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<Passkey | undefined> {
  const [row] = await db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)));
  return row;
}

/** The passkey of any person, by the id of its credential. */
export async function passkeyByCredential(db: Db, credentialId: string): Promise<Passkey | undefined> {
  const [row] = await db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId));
  return row;
}

export type NewPasskey = Omit<Passkey, "createdAt" | "lastUsedAt">;

/**
 * Stores a passkey, with its entry in the person's log. `undefined`, and nothing, when the session has ended by now: the person
 * is locked first, so that a change that ends the account's sessions either comes first or finds the passkey. Throws the
 * refusal of the ceiling.
 */
export async function insertPasskey(
  { db, config }: { db: Db; config: CeilingConfig<"passkeys"> },
  passkey: NewPasskey,
  sessionId: string,
  entry: AuditEntry,
): Promise<Passkey | undefined> {
  const { id, userId, name, credentialId, publicKey, counter, transports, isBackedUp } = passkey;
  const own = eq(passkeys.id, id);
  const [, , , , , , [stored]] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "passkeys", owner: userId }]),
      shareOwnTeam(db, userId),
      lockPerson(db, userId),
      db.execute(sql`
        INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter, transports, is_backed_up)
        SELECT ${id}::uuid, u.id, ${name}::text, ${credentialId}::text, ${publicKey}::text, ${counter}::bigint,
          ${sql.param(transports)}::text[], ${isBackedUp}::boolean
        FROM users u JOIN sessions s ON s.user_id = u.id
        WHERE u.id = ${userId}::uuid AND u.is_active AND s.id = ${sessionId}::uuid AND s.ended_at IS NULL
      `),
      insertAuditEntry(db, entry, sql`EXISTS (SELECT 1 FROM passkeys k WHERE k.id = ${id}::uuid)`),
      db.select().from(passkeys).where(own),
    ]),
  );
  return stored;
}

export async function renamePasskeyRow(
  db: Db,
  { id, userId }: { id: string; userId: string },
  name: string,
): Promise<Passkey | undefined> {
  const [row] = await db
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
    .returning();
  return row;
}

/**
 * Removes a passkey, with its entry in the person's log, unless it is the last way to sign in: the account has no password, no
 * other passkey, and no link to one of these providers. The person is locked first, so that of two passkeys removed at once one stays.
 */
export async function deletePasskey(
  db: Db,
  { id, userId }: { id: string; userId: string },
  providers: readonly ProviderName[],
  entry: AuditEntry,
): Promise<boolean> {
  const isRemovable: SQL = sql`k.id = ${id}::uuid AND k.user_id = ${userId}::uuid AND (
    EXISTS (SELECT 1 FROM users u WHERE u.id = k.user_id AND u.password_hash IS NOT NULL)
    OR EXISTS (SELECT 1 FROM passkeys other WHERE other.user_id = k.user_id AND other.id <> k.id)
    OR EXISTS (
      SELECT 1 FROM oauth_accounts o WHERE o.user_id = k.user_id AND o.provider = ANY (${sql.param([...providers])}::text[])
    )
  )`;
  const [, , , removed] = await db.batch([
    shareOwnTeam(db, userId),
    lockPerson(db, userId),
    insertAuditEntry(db, entry, sql`EXISTS (SELECT 1 FROM passkeys k WHERE ${isRemovable})`),
    db.execute(sql`DELETE FROM passkeys k WHERE ${isRemovable} RETURNING k.id`),
  ]);
  return removed.rows.length > 0;
}

export interface PasskeyUser {
  id: string;
  isSuperuser: boolean;
  passwordHash: string | null;
}

/**
 * Accepts a verified assertion. `undefined`, and nothing, for a passkey that was removed, a person who is not active, and a
 * counter that is not above the stored one; an authenticator that does not count always says 0.
 */
export async function acceptCounter(
  db: Db,
  passkeyId: string,
  { counter, isBackedUp }: { counter: number; isBackedUp: boolean },
): Promise<PasskeyUser | undefined> {
  const result = await db.execute<{ id: string; is_superuser: boolean; password_hash: string | null }>(sql`
    UPDATE passkeys k SET counter = ${counter}::bigint, is_backed_up = ${isBackedUp}::boolean, last_used_at = now()
    FROM users u
    WHERE k.id = ${passkeyId}::uuid AND u.id = k.user_id AND u.is_active
      AND (k.counter < ${counter}::bigint OR (k.counter = 0 AND ${counter}::bigint = 0))
    RETURNING u.id, u.is_superuser, u.password_hash
  `);
  const [row] = result.rows;
  return row && { id: row.id, isSuperuser: row.is_superuser, passwordHash: row.password_hash };
}
