import { and, desc, eq, isNull, lt, sql, type SQL } from "drizzle-orm";
import { lockPerson, shareTeam } from "#src/db/locks.ts";
import {
  desktopDevices,
  externalApiKeys,
  pairingTokens,
  teamMemberships,
  users,
} from "#src/db/schema/index.ts";
import { revokeKey, type KeySecrets } from "#src/domain/organisations/api-keys/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/organisations/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

type Note = Omit<AuditEntry, "userId" | "teamId">;

interface Holder {
  userId: string;
  /** The team that the key acts in. */
  teamId: string;
}

/**
 * Whoever counts a person's keys, devices or links waits here for the others, and so counts what they committed; and a
 * removal from the team waits, and so finds the key.
 */
function holdOwner(db: Db, { userId, teamId }: Holder) {
  return [
    shareTeam(db, teamId),
    lockPerson(db, userId),
    db
      .select({ teamId: teamMemberships.teamId })
      .from(teamMemberships)
      .where(and(eq(teamMemberships.teamId, teamId), eq(teamMemberships.userId, userId)))
      .for("share"),
  ] as const;
}

const alive = (userId: string) =>
  and(
    eq(pairingTokens.userId, userId),
    isNull(pairingTokens.usedAt),
    sql`${pairingTokens.expiresAt} > now()`,
  );

export interface NewPairing extends Holder {
  id: string;
  tokenHash: string;
  scopes: string[];
  lifeSeconds: number;
}

/**
 * Store a pairing token, unless its owner then has more than `limit` that wait to be used; those long over go. Answers
 * when it expires, or in how many seconds there is room again.
 */
export async function insertPairing(
  db: Db,
  limit: number,
  pairing: NewPairing,
  note: Note,
): Promise<{ expiresAt: Date } | { roomInSeconds: number }> {
  const { id, userId, teamId, tokenHash, scopes, lifeSeconds } = pairing;
  const old = sql`now() - interval '1 day'`;
  const [, , , , [waiting], inserted] = await db.batch([
    ...holdOwner(db, pairing),
    db.delete(pairingTokens).where(and(eq(pairingTokens.userId, userId), lt(pairingTokens.expiresAt, old))),
    db
      .select({
        roomInSeconds: sql<number>`coalesce(ceil(extract(epoch FROM min(${pairingTokens.expiresAt}) - now())), 1)::int`,
      })
      .from(pairingTokens)
      .where(alive(userId)),
    db.execute<{ expires_at: string }>(sql`
      INSERT INTO pairing_tokens (id, user_id, token_hash, scopes, expires_at)
      SELECT ${id}::uuid, ${userId}::uuid, ${tokenHash}, ${textArray(scopes)},
        now() + make_interval(secs => ${lifeSeconds})
      WHERE (SELECT count(*) FROM pairing_tokens WHERE ${alive(userId)}) < ${limit}
      RETURNING to_json(expires_at) AS expires_at
    `),
    insertAuditEntry(
      db,
      { ...note, userId, teamId, resourceId: id },
      sql`EXISTS (SELECT 1 FROM pairing_tokens p WHERE p.id = ${id}::uuid)`,
    ),
  ]);
  const [row] = inserted.rows;
  return row ? { expiresAt: new Date(row.expires_at) } : { roomInSeconds: waiting?.roomInSeconds ?? 1 };
}

/** Whose a pairing token is, used and expired ones too, and the team that its key will act in. */
export function holderOfPairing(db: Db, tokenHash: string) {
  return db
    .select({ userId: users.id, teamId: teamMemberships.teamId })
    .from(pairingTokens)
    .innerJoin(users, eq(users.id, pairingTokens.userId))
    .innerJoin(
      teamMemberships,
      and(eq(teamMemberships.teamId, users.defaultTeamId), eq(teamMemberships.userId, users.id)),
    )
    .where(eq(pairingTokens.tokenHash, tokenHash));
}

export interface NewDevice {
  id: string;
  name: string;
  platform: string | null;
  fingerprint: string | null;
  appVersion: string | null;
}

/** What lets a device in: a pairing token, which is used up by it, or permissions that a person chose just now. */
export type Admission = { tokenHash: string } | { scopes: string[] };

export interface Grant extends Holder {
  admission: Admission;
  key: KeySecrets["stored"];
  device: NewDevice;
}

/**
 * Use up the pairing token, store the key and the device: all of it, in one statement, or nothing. Nothing for a token that
 * is used or over, for a person who is not active or not in the team any more, and where there are as many active keys or
 * paired devices already. `undefined` when there was nothing to grant.
 */
export async function grantDevice(
  db: Db,
  limits: { keys: number; devices: number },
  grant: Grant,
  note: Note,
): Promise<{ granted: boolean; scopes: string[]; keys: number; devices: number } | undefined> {
  const { userId, teamId, admission, key, device } = grant;
  const { offered, accepted } = admissionSql(userId, admission);
  const [, , , { rows }] = await db.batch([
    ...holdOwner(db, grant),
    db.execute<{ granted: boolean; scopes: string[]; keys: number; devices: number }>(sql`
      WITH offered AS (${offered}), counted AS (
        SELECT o.*,
          (SELECT count(*)::int FROM external_api_keys k WHERE k.user_id = u.id AND k.is_active) AS keys,
          (SELECT count(*)::int FROM desktop_devices d JOIN external_api_keys k ON k.id = d.api_key_id
            WHERE d.user_id = u.id AND k.is_active) AS devices
        FROM offered o
        JOIN users u ON u.id = ${userId}::uuid AND u.is_active
        JOIN team_memberships m ON m.user_id = u.id AND m.team_id = ${teamId}::uuid
      ), fitting AS (
        SELECT * FROM counted WHERE keys < ${limits.keys} AND devices < ${limits.devices}
      ), accepted AS (${accepted}), made AS (
        INSERT INTO external_api_keys
          (id, user_id, team_id, name, key_hash, key_prefix, scope, scopes, webhook_secret_encrypted)
        SELECT ${key.id}::uuid, ${userId}::uuid, ${teamId}::uuid, ${`Desktop: ${device.name}`}, ${key.keyHash},
          ${key.keyPrefix}, 'team', scopes, ${key.webhookSecretEncrypted}
        FROM accepted
      ), paired AS (
        INSERT INTO desktop_devices (id, user_id, api_key_id, name, platform, fingerprint, app_version)
        SELECT ${device.id}::uuid, ${userId}::uuid, ${key.id}::uuid, ${device.name}, ${device.platform},
          ${device.fingerprint}, ${device.appVersion}
        FROM accepted
      )
      SELECT EXISTS (SELECT 1 FROM accepted) AS granted, to_json(scopes) AS scopes, keys, devices FROM counted
    `),
    insertAuditEntry(
      db,
      { ...note, userId, teamId, resourceId: device.id },
      sql`EXISTS (SELECT 1 FROM desktop_devices d WHERE d.id = ${device.id}::uuid)`,
    ),
  ]);
  return rows[0];
}

/** The permissions on offer, and the acceptance of those that fit: of a token's many takers one gets a row. */
function admissionSql(userId: string, admission: Admission): { offered: SQL; accepted: SQL } {
  if ("scopes" in admission) {
    return {
      offered: sql`SELECT ${textArray(admission.scopes)} AS scopes`,
      accepted: sql`SELECT scopes FROM fitting`,
    };
  }
  return {
    offered: sql`
      SELECT id, scopes FROM pairing_tokens
      WHERE token_hash = ${admission.tokenHash} AND user_id = ${userId}::uuid
        AND used_at IS NULL AND expires_at > now()
    `,
    accepted: sql`
      UPDATE pairing_tokens p SET used_at = now() FROM fitting
      WHERE p.id = fitting.id AND p.used_at IS NULL
      RETURNING p.scopes
    `,
  };
}

/** Drizzle would spread a list over as many parameters. */
function textArray(texts: string[]): SQL {
  return sql`${sql.param(texts)}::text[]`;
}

const device = {
  id: desktopDevices.id,
  name: desktopDevices.name,
  platform: desktopDevices.platform,
  fingerprint: desktopDevices.fingerprint,
  appVersion: desktopDevices.appVersion,
  apiKeyId: desktopDevices.apiKeyId,
  createdAt: desktopDevices.createdAt,
  lastSeenAt: externalApiKeys.lastUsedAt,
  isActive: externalApiKeys.isActive,
};

/** Devices of a user, those unpaired too, newest first. */
export function devicesOfUser(db: Db, userId: string) {
  return db
    .select(device)
    .from(desktopDevices)
    .innerJoin(externalApiKeys, eq(externalApiKeys.id, desktopDevices.apiKeyId))
    .where(eq(desktopDevices.userId, userId))
    .orderBy(desc(desktopDevices.id));
}

export function deviceOfUser(db: Db, userId: string, deviceId: string) {
  return db
    .select({ deviceId: desktopDevices.id, keyId: desktopDevices.apiKeyId, teamId: externalApiKeys.teamId })
    .from(desktopDevices)
    .innerJoin(externalApiKeys, eq(externalApiKeys.id, desktopDevices.apiKeyId))
    .where(and(eq(desktopDevices.id, deviceId), eq(desktopDevices.userId, userId)));
}

/** A key's device, if it has one, and when the key expires. */
export function pairingOfKey(db: Db, keyId: string) {
  return db
    .select({ deviceId: desktopDevices.id, expiresAt: externalApiKeys.expiresAt })
    .from(externalApiKeys)
    .leftJoin(desktopDevices, eq(desktopDevices.apiKeyId, externalApiKeys.id))
    .where(eq(externalApiKeys.id, keyId));
}

/** End a key. The entry is written by the call that ends it: of two at once, by one. */
export async function endKey(
  db: Db,
  { userId, teamId, keyId }: Holder & { keyId: string },
  note: Note,
): Promise<void> {
  await db.batch([
    shareTeam(db, teamId),
    db
      .select({ id: externalApiKeys.id })
      .from(externalApiKeys)
      .where(eq(externalApiKeys.id, keyId))
      .for("no key update"),
    insertAuditEntry(
      db,
      { ...note, userId, teamId },
      sql`EXISTS (SELECT 1 FROM external_api_keys k
        WHERE k.id = ${keyId}::uuid AND k.user_id = ${userId}::uuid AND k.is_active)`,
    ),
    revokeKey(db, userId, keyId),
  ]);
}

/** End the pairing links of a user that nobody has used. A query for a batch, as in `endWaysIn`. */
export function endPairings(db: Db, userId: string, onlyIf?: SQL) {
  return db
    .update(pairingTokens)
    .set({ usedAt: sql`now()` })
    .where(and(eq(pairingTokens.userId, userId), isNull(pairingTokens.usedAt), onlyIf));
}
