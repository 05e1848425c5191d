import { and, eq, exists, lt, or, sql, type SQL } from "drizzle-orm";
import { shareOwnTeam } from "#src/db/locks.ts";
import { gitConnections } from "#src/db/schema/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/lib/client.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Draft } from "#src/db/statement.ts";
import type { GitHostName } from "#src/platform/git-hosts/git-host.ts";

export type Connection = typeof gitConnections.$inferSelect;

const among = (userId: string, provider: GitHostName) =>
  and(eq(gitConnections.userId, userId), eq(gitConnections.provider, provider));

export function connectionsOf(db: Db, userId: string) {
  return db.select().from(gitConnections).where(eq(gitConnections.userId, userId));
}

/** A person's tokens, encrypted. */
export function sealedTokens(db: Draft, userId: string | SQL) {
  const { provider, encryptedToken, encryptedRefreshToken } = gitConnections;
  return db
    .select({ provider, encryptedToken, encryptedRefreshToken })
    .from(gitConnections)
    .where(eq(gitConnections.userId, userId));
}

export async function connectionOf(
  db: Db,
  userId: string,
  provider: GitHostName,
): Promise<Connection | undefined> {
  const [row] = await db.select().from(gitConnections).where(among(userId, provider));
  return row;
}

/** The secrets are Fernet tokens. */
export type NewConnection = Omit<Connection, "id" | "createdAt" | "updatedAt">;

/**
 * Stores a connection, which replaces an earlier one at this host, and writes an entry to the log of the personal team.
 */
export async function putConnection(
  db: Db,
  { userId, provider, ...values }: NewConnection,
  client: Client,
): Promise<void> {
  const { authType, username } = values;
  await db.batch([
    // Before the person, to whom the new row refers.
    shareOwnTeam(db, userId),
    db
      .insert(gitConnections)
      .values({ id: newId(), userId, provider, ...values })
      .onConflictDoUpdate({
        target: [gitConnections.userId, gitConnections.provider],
        set: { ...values, updatedAt: sql`now()` },
      }),
    insertAuditEntry(db, {
      ...entryOf(userId, provider, client),
      action: "git_host.connected",
      details: { username, auth_type: authType },
    }),
  ]);
}

/** Deletes a connection and writes an entry as `putConnection` does; neither if there is no connection. */
export async function deleteConnection(
  db: Db,
  userId: string,
  provider: GitHostName,
  client: Client,
): Promise<void> {
  const found = db.select({ id: gitConnections.id }).from(gitConnections).where(among(userId, provider));
  await db.batch([
    shareOwnTeam(db, userId),
    // Of concurrent calls, the second finds no row.
    found.for("update"),
    insertAuditEntry(
      db,
      { ...entryOf(userId, provider, client), action: "git_host.disconnected" },
      exists(db.select({ id: gitConnections.id }).from(gitConnections).where(among(userId, provider))),
    ),
    db.delete(gitConnections).where(among(userId, provider)),
  ]);
}

const entryOf = (userId: string, provider: GitHostName, client: Client) => ({
  userId,
  resourceType: "git_host",
  resourceId: provider,
  client,
});

/** Seconds that a request may take to refresh a token before another may try. */
const REFRESH_SECONDS = 15;

/**
 * Claims the refresh of an expired token, because a refresh token can be used only once. False while another request
 * has the claim, and after that request has refreshed it.
 */
export async function claimRefresh(db: Db, { id, encryptedToken }: Connection): Promise<boolean> {
  const rows = await db
    .update(gitConnections)
    .set({ updatedAt: sql`now()` })
    .where(
      and(
        eq(gitConnections.id, id),
        eq(gitConnections.encryptedToken, encryptedToken),
        or(
          sql`${gitConnections.updatedAt} IS NULL`,
          lt(gitConnections.updatedAt, sql`now() - make_interval(secs => ${REFRESH_SECONDS})`),
        ),
      ),
    )
    .returning({ id: gitConnections.id });
  return rows.length > 0;
}

/** Replaces tokens by refreshed ones; no effect if the stored tokens have changed. */
export async function rotateTokens(
  db: Db,
  { id, encryptedToken }: Connection,
  fresh: Pick<Connection, "encryptedToken" | "encryptedRefreshToken" | "expiresAt">,
): Promise<void> {
  await db
    .update(gitConnections)
    .set({ ...fresh, updatedAt: sql`now()` })
    .where(and(eq(gitConnections.id, id), eq(gitConnections.encryptedToken, encryptedToken)));
}
