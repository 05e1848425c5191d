import { and, desc, eq, isNull, lt, sql, type SQL } from "drizzle-orm";
import { lockPerson, shareTeam } from "#src/db/locks.ts";
import {
  desktopDevices,
  externalApiKeys,
  pairingTokens,
  teamMemberships,
  users,
} from "#src/db/schema/index.ts";
import { revokeKey, type KeySecrets } from "#src/domain/programs/api-keys/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Db } from "#src/platform/db/client.ts";

type Note = Omit<AuditEntry, "userId" | "teamId">;

interface Holder {
  userId: string;
  /** The team that the key acts in. */
  teamId: string;
}

/**
 * Locks the owner's rows. Requests that count a person's keys, devices or links run one after another and see each
 * other's commits; a concurrent removal from the team waits, and then finds the key.
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

export interface NewPairing extends Holder {
  id: string;
  tokenHash: string;
  scopes: string[];
  lifeSeconds: number;
}

/**
 * Stores a pairing token, and deletes tokens that expired more than a day ago. Returns when the token expires. Throws the
 * refusal of the ceiling on unused links.
 */
export async function insertPairing(
  { db, config }: { db: Db; config: CeilingConfig<"pairing_links"> },
  pairing: NewPairing,
  note: Note,
): Promise<Date> {
  const { id, userId, teamId, tokenHash, scopes, lifeSeconds } = pairing;
  const old = sql`now() - interval '1 day'`;
  const [, , , , , , [row]] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "pairing_links", owner: userId }]),
      ...holdOwner(db, pairing),
      db.delete(pairingTokens).where(and(eq(pairingTokens.userId, userId), lt(pairingTokens.expiresAt, old))),
      db
        .insert(pairingTokens)
        .values({
          id,
          userId,
          tokenHash,
          scopes,
          expiresAt: sql`now() + make_interval(secs => ${lifeSeconds})`,
        })
        .returning({ expiresAt: pairingTokens.expiresAt }),
      insertAuditEntry(db, { ...note, userId, teamId, resourceId: id }),
    ]),
  );
  if (!row) throw new Error("The pairing token was not stored");
  return row.expiresAt;
}

/** The owner of a pairing token, which may be used or expired, and the team in which its key will act. */
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

/**
 * What admits a device: a pairing token, which is used up, or permissions that the signed-in person has just chosen.
 */
export type Admission = { tokenHash: string } | { scopes: string[] };

export interface Grant extends Holder {
  admission: Admission;
  key: KeySecrets["stored"];
  device: NewDevice;
}

/**
 * Uses up the pairing token and stores the key and the device, in one statement. Returns the key's permissions;
 * `undefined`, and changes nothing, for a used or expired token and for a person who is inactive or no longer in the team.
 * Throws the refusal of the ceilings on devices and keys, which leaves the token usable.
 */
export async function grantDevice(
  { db, config }: { db: Db; config: CeilingConfig<"desktop_devices" | "api_keys"> },
  grant: Grant,
  note: Note,
): Promise<string[] | undefined> {
  const { userId, teamId, admission, key, device } = grant;
  const { offered, accepted } = admissionSql(userId, admission);
  // Nobody who is not admitted learns of a ceiling.
  const owner = sql`SELECT u.id FROM (${offered}) AS o JOIN users u ON u.id = ${userId}::uuid AND u.is_active
    JOIN team_memberships m ON m.user_id = u.id AND m.team_id = ${teamId}::uuid`;
  const batch = db.batch([
    ...roomFor(db, config, [
      { ceiling: "desktop_devices", owner },
      { ceiling: "api_keys", owner },
    ]),
    ...holdOwner(db, grant),
    db.execute<{ scopes: string[] }>(sql`
      WITH fitting AS (
        SELECT o.* FROM (${offered}) AS o
        JOIN users u ON u.id = ${userId}::uuid AND u.is_active
        JOIN team_memberships m ON m.user_id = u.id AND m.team_id = ${teamId}::uuid
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
      SELECT to_json(scopes) AS scopes FROM accepted
    `),
    insertAuditEntry(
      db,
      { ...note, userId, teamId, resourceId: device.id },
      sql`EXISTS (SELECT 1 FROM desktop_devices d WHERE d.id = ${device.id}::uuid)`,
    ),
  ]);
  const [, , , , , { rows }] = await whileThereIsRoom(batch);
  return rows[0]?.scopes;
}

/** The offered permissions, and the acceptance: of concurrent exchanges of one token, only one gets a row. */
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

/** As one JSON parameter, because Drizzle would expand a list into several parameters. */
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

/** Devices of a user, including unpaired ones, newest first. */
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

/** Ends a key. Only the call that ends it writes the audit log entry. */
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

/** Ends a user's unused pairing links. Returns a query for a batch, as in `endWaysIn`. */
export function endPairings(db: Db, userId: string, onlyIf?: SQL) {
  return db
    .update(pairingTokens)
    .set({ usedAt: sql`now()` })
    .where(and(eq(pairingTokens.userId, userId), isNull(pairingTokens.usedAt), onlyIf));
}
