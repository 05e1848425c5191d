import { and, asc, desc, eq, exists, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { shareOwnTeam } from "#src/db/locks.ts";
import { deploymentCredentials } from "#src/db/schema/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/lib/client.ts";
import { newId } from "#src/lib/ids.ts";
import type { Draft } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { HostingName } from "#src/platform/hosting/hosting.ts";

export type Credential = typeof deploymentCredentials.$inferSelect;

/** What is stored of a credential. The secrets are Fernet tokens. */
export type SealedCredential = Pick<
  Credential,
  | "authType"
  | "encryptedToken"
  | "encryptedRefreshToken"
  | "expiresAt"
  | "metadata"
  | "encryptedMetadata"
  | "isStandin"
>;

/** Whose credential it is, where, and for what; `projectId` is null for the person's default. */
export interface CredentialPlace {
  userId: string;
  provider: HostingName;
  projectId: string | null;
}

/** As `CredentialPlace`; the project's id may be an expression. */
type PlaceInSql = Omit<CredentialPlace, "projectId"> & { projectId: CredentialPlace["projectId"] | SQL };

const at = ({ userId, provider, projectId }: PlaceInSql) =>
  and(
    eq(deploymentCredentials.userId, userId),
    eq(deploymentCredentials.provider, provider),
    projectId === null
      ? isNull(deploymentCredentials.projectId)
      : eq(deploymentCredentials.projectId, projectId),
  );

const own = (userId: string, id: string) =>
  and(eq(deploymentCredentials.id, id), eq(deploymentCredentials.userId, userId));

/** A person's credentials, oldest first. */
export function credentialsOf(
  db: Db,
  userId: string,
  { provider, projectId }: { provider?: HostingName | undefined; projectId?: string | undefined },
): Promise<Credential[]> {
  return db
    .select()
    .from(deploymentCredentials)
    .where(
      and(
        eq(deploymentCredentials.userId, userId),
        provider && eq(deploymentCredentials.provider, provider),
        projectId === undefined ? undefined : eq(deploymentCredentials.projectId, projectId),
      ),
    )
    .orderBy(asc(deploymentCredentials.id));
}

/** The encrypted secrets of a person's credentials. */
export function sealedSecrets(db: Draft, userId: string | SQL) {
  const { provider, encryptedToken, encryptedRefreshToken, encryptedMetadata } = deploymentCredentials;
  return db
    .select({ provider, encryptedToken, encryptedRefreshToken, encryptedMetadata })
    .from(deploymentCredentials)
    .where(eq(deploymentCredentials.userId, userId));
}

export async function credentialOf(db: Db, userId: string, id: string): Promise<Credential | undefined> {
  const [row] = await db.select().from(deploymentCredentials).where(own(userId, id));
  return row;
}

/** The credentials that a person may use in a project: the project's before the default. Can be part of a batch. */
export function credentialsIn(db: Db, { userId, provider, projectId }: PlaceInSql) {
  return db
    .select()
    .from(deploymentCredentials)
    .where(
      or(
        at({ userId, provider, projectId }),
        // The default is one row, also where there is no project.
        at({ userId, provider, projectId: null }),
      ),
    )
    .orderBy(sql`${deploymentCredentials.projectId} IS NULL`, desc(deploymentCredentials.id))
    .limit(2);
}

const entryOf = (userId: string, provider: HostingName, client: Client) => ({
  userId,
  resourceType: "deployment_credential",
  resourceId: provider,
  client,
});

const detailsOf = ({ projectId, authType }: Pick<Credential, "projectId" | "authType">) => ({
  project_id: projectId,
  auth_type: authType,
});

export interface LimitedDb {
  db: Db;
  config: CeilingConfig<"deployment_credentials">;
}

/**
 * Stores a credential, which replaces the one in its place, and writes an entry to the log of the personal team. Violates a
 * foreign key when the project is deleted. Throws the refusal of the ceiling on credentials.
 */
export async function putCredential(
  { db, config }: LimitedDb,
  place: CredentialPlace,
  sealed: SealedCredential,
  { action, client }: { action: "connected" | "entered"; client: Client },
): Promise<Credential | undefined> {
  // A row that was replaced has `updated_at`.
  const entered = sql`(
    SELECT CASE WHEN updated_at IS NULL THEN 'deployment_credential.created' ELSE 'deployment_credential.updated' END
    FROM deployment_credentials WHERE encrypted_token = ${sealed.encryptedToken} AND ${at(place)}
  )`;
  const batch = db.batch([
    ...roomFor(db, config, [{ ceiling: "deployment_credentials", owner: place.userId, except: at(place) }]),
    // Before the person, to whom the new row refers.
    shareOwnTeam(db, place.userId),
    db
      .insert(deploymentCredentials)
      .values({ id: newId(), ...place, ...sealed })
      .onConflictDoUpdate({
        target: [
          deploymentCredentials.userId,
          deploymentCredentials.provider,
          deploymentCredentials.projectId,
        ],
        set: { ...sealed, account: null, refreshUntil: null, updatedAt: sql`now()` },
      })
      .returning(),
    insertAuditEntry(db, {
      ...entryOf(place.userId, place.provider, client),
      action: action === "connected" ? "deployment_credential.connected" : entered,
      details: detailsOf({ ...place, ...sealed }),
    }),
  ]);
  const [, , , [stored]] = await whileThereIsRoom(batch);
  return stored;
}

/**
 * Changes a credential and writes an entry, if it is still as it was read: each write encrypts the token anew, so that the
 * encrypted token stands for a version of the row.
 */
export async function changeCredential(
  db: Db,
  before: Credential,
  sealed: SealedCredential,
  client: Client,
): Promise<Credential | undefined> {
  const { id, userId, provider, projectId, encryptedToken } = before;
  const isChanged = exists(
    db
      .select({ id: deploymentCredentials.id })
      .from(deploymentCredentials)
      .where(and(own(userId, id), eq(deploymentCredentials.encryptedToken, sealed.encryptedToken))),
  );
  const [, [changed]] = await db.batch([
    shareOwnTeam(db, userId),
    db
      .update(deploymentCredentials)
      .set({ ...sealed, account: null, updatedAt: sql`now()` })
      .where(and(own(userId, id), eq(deploymentCredentials.encryptedToken, encryptedToken)))
      .returning(),
    insertAuditEntry(
      db,
      {
        ...entryOf(userId, provider, client),
        action: "deployment_credential.updated",
        details: detailsOf({ projectId, authType: sealed.authType }),
      },
      isChanged,
    ),
  ]);
  return changed;
}

/** Deletes a credential and writes an entry; false, and neither, if there is none. */
export async function deleteCredential(
  db: Db,
  { id, userId, provider, projectId, authType }: Credential,
  client: Client,
): Promise<boolean> {
  const found = db
    .select({ id: deploymentCredentials.id })
    .from(deploymentCredentials)
    .where(own(userId, id));
  const [, , , deleted] = await db.batch([
    shareOwnTeam(db, userId),
    // Of concurrent calls, the second finds no row.
    found.for("update"),
    insertAuditEntry(
      db,
      {
        ...entryOf(userId, provider, client),
        action: "deployment_credential.deleted",
        details: detailsOf({ projectId, authType }),
      },
      exists(db.select({ id: deploymentCredentials.id }).from(deploymentCredentials).where(own(userId, id))),
    ),
    db.delete(deploymentCredentials).where(own(userId, id)).returning({ id: deploymentCredentials.id }),
  ]);
  return deleted.length > 0;
}

/** Stores the account of a credential, if it is still as it was read. */
export async function recordAccount(
  db: Db,
  { id, encryptedToken }: Credential,
  account: string,
): Promise<void> {
  await db
    .update(deploymentCredentials)
    .set({ account })
    .where(and(eq(deploymentCredentials.id, id), eq(deploymentCredentials.encryptedToken, encryptedToken)));
}

/** Seconds that a request may take to refresh a token before another may try. */
const REFRESH_SECONDS = 15;

/** The refresh token changes with each refresh, and stays when only metadata changes. */
const isUnrefreshed = ({ id, encryptedRefreshToken }: Credential) =>
  and(
    eq(deploymentCredentials.id, id),
    sql`${deploymentCredentials.encryptedRefreshToken} IS NOT DISTINCT FROM ${encryptedRefreshToken}`,
  );

/** Claims the refresh of an expired token, because a refresh token can be used only once. */
export async function claimRefresh(db: Db, credential: Credential): Promise<boolean> {
  const rows = await db
    .update(deploymentCredentials)
    .set({ refreshUntil: sql`now() + make_interval(secs => ${REFRESH_SECONDS})` })
    .where(
      and(
        isUnrefreshed(credential),
        or(isNull(deploymentCredentials.refreshUntil), lt(deploymentCredentials.refreshUntil, sql`now()`)),
      ),
    )
    .returning({ id: deploymentCredentials.id });
  return rows.length > 0;
}

/** Replaces tokens by refreshed ones; no effect if the stored refresh token has changed. */
export async function rotateTokens(
  db: Db,
  credential: Credential,
  fresh: Pick<Credential, "encryptedToken" | "encryptedRefreshToken" | "expiresAt">,
): Promise<void> {
  await db
    .update(deploymentCredentials)
    .set({ ...fresh, refreshUntil: null })
    .where(isUnrefreshed(credential));
}
