import { and, eq, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { mcpAuthorizations, mcpServers, type McpOAuthFlow } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { audit, share, type Entry } from "./entries.ts";
import { roleFor } from "./role.ts";

type McpServer = typeof mcpServers.$inferSelect;
export type Authorization = typeof mcpAuthorizations.$inferSelect;

/** This service as a client, and its sealed secret. */
export type StoredClient = Pick<Authorization, "client" | "encryptedClientSecret">;

export async function authorizationOf(db: Db, id: string): Promise<Authorization | undefined> {
  const [row] = await db.select().from(mcpAuthorizations).where(eq(mcpAuthorizations.id, id));
  return row;
}

/** An authorization, and whether the person who gave it may still use the server. */
export async function usableAuthorizationOf(
  db: Db,
  id: string,
): Promise<{ row: Authorization; mayGive: boolean } | undefined> {
  const giver = sql`(mcp_authorizations.grantor ->> 'userId')`;
  const mayGive = sql<boolean>`(${roleFor(giver)} IS NOT NULL AND EXISTS (
    SELECT FROM users AS u WHERE u.id = ${giver}::uuid AND u.is_active))`;
  const [found] = await db
    .select({ row: mcpAuthorizations, mayGive })
    .from(mcpAuthorizations)
    .innerJoin(mcpServers, eq(mcpServers.id, mcpAuthorizations.id))
    .where(eq(mcpAuthorizations.id, id));
  return found;
}

export function authorizationsOf(db: Db, ids: readonly string[]): Promise<Authorization[]> {
  return db
    .select()
    .from(mcpAuthorizations)
    .where(inArray(mcpAuthorizations.id, [...ids]));
}

const NO_TOKENS = {
  grantor: null,
  encryptedToken: null,
  encryptedRefreshToken: null,
  expiresAt: null,
  lifetimeSeconds: null,
  refreshingSince: null,
  generation: sql`${mcpAuthorizations.generation} + 1`,
  updatedAt: sql`now()`,
};

/** Statements that end a server's authorization, and leave it with the client; `onlyIf` as in `insertAuditEntry`. */
export const resetting = (
  db: Db,
  id: string,
  { client, encryptedClientSecret }: StoredClient,
  onlyIf = sql`true`,
) =>
  [
    db.execute(
      sql`INSERT INTO mcp_authorizations (id) SELECT ${id}::uuid WHERE ${onlyIf} ON CONFLICT (id) DO NOTHING`,
    ),
    db
      .update(mcpAuthorizations)
      .set({ ...NO_TOKENS, flow: null, client, encryptedClientSecret })
      .where(and(eq(mcpAuthorizations.id, id), onlyIf)),
  ] as const;

/** Stores the visit that a person begins, in place of an earlier one. False when the server is gone or has moved meanwhile. */
export async function storeFlow(
  db: Db,
  { id, url }: Pick<McpServer, "id" | "url">,
  { client, encryptedClientSecret }: StoredClient,
  flow: McpOAuthFlow,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    INSERT INTO mcp_authorizations (id, client, encrypted_client_secret, flow)
    SELECT s.id, ${JSON.stringify(client)}::jsonb, ${encryptedClientSecret}, ${JSON.stringify(flow)}::jsonb
    FROM mcp_servers AS s WHERE s.id = ${id}::uuid AND s.url = ${url} AND s.auth = 'oauth'
    ON CONFLICT (id) DO UPDATE SET client = excluded.client,
      encrypted_client_secret = excluded.encrypted_client_secret, flow = excluded.flow, updated_at = now()
    RETURNING id`);
  return rows.length > 0;
}

/** Ends a visit without tokens; no effect on a newer one. */
export async function endFlow(
  db: Db,
  { id, stateHash, forgetsClient }: { id: string; stateHash: string; forgetsClient: boolean },
): Promise<void> {
  await db
    .update(mcpAuthorizations)
    .set({ flow: null, ...(forgetsClient && { client: null, encryptedClientSecret: null }) })
    .where(and(eq(mcpAuthorizations.id, id), ofFlow(stateHash)));
}

const ofFlow = (stateHash: string) => sql`${mcpAuthorizations.flow} ->> 'stateHash' = ${stateHash}`;

/** Tokens as they are stored. */
export type SealedTokens = Pick<
  Authorization,
  "encryptedToken" | "encryptedRefreshToken" | "expiresAt" | "lifetimeSeconds" | "grantor"
>;

/** Stores the tokens of a visit. False when it was ended or begun anew meanwhile, or the server is gone. */
export async function storeTokens(
  db: Db,
  { id, projectId }: Pick<McpServer, "id" | "projectId">,
  { stateHash, tokens }: { stateHash: string; tokens: SealedTokens },
  entry: Entry,
): Promise<boolean> {
  const isOfFlow = sql`EXISTS (SELECT 1 FROM ${mcpAuthorizations}
    WHERE ${mcpAuthorizations.id} = ${id}::uuid AND ${ofFlow(stateHash)})`;
  const [, , , stored] = await db.batch([
    share(db, entry),
    audit(db, entry, { id, projectId }, "mcp_server.connected", {}, isOfFlow),
    db
      .update(mcpServers)
      .set({ neededScope: null })
      .where(and(eq(mcpServers.id, id), isOfFlow)),
    db
      .update(mcpAuthorizations)
      .set({ ...NO_TOKENS, ...tokens, flow: null })
      .where(and(eq(mcpAuthorizations.id, id), ofFlow(stateHash)))
      .returning({ id: mcpAuthorizations.id }),
  ]);
  return stored.length > 0;
}

/** Ends an authorization, says so in the server's state, and writes an entry. Undefined for a server that is gone. */
export async function endAuthorization(
  db: Db,
  { id, projectId }: Pick<McpServer, "id" | "projectId">,
  { client, lastError }: { client: StoredClient; lastError: string },
  entry: Entry,
): Promise<McpServer | undefined> {
  const [, [server]] = await db.batch([
    share(db, entry),
    db
      .update(mcpServers)
      .set({
        state: "needs_authorization",
        lastError,
        neededScope: null,
        stateSince: sql`CASE WHEN ${mcpServers.state} = 'needs_authorization' THEN ${mcpServers.stateSince} ELSE now() END`,
      })
      .where(eq(mcpServers.id, id))
      .returning(),
    // After the server's row, as every change locks them.
    db
      .update(mcpAuthorizations)
      .set({ ...NO_TOKENS, flow: null, ...client })
      .where(eq(mcpAuthorizations.id, id)),
    audit(
      db,
      entry,
      { id, projectId },
      "mcp_server.disconnected",
      {},
      sql`EXISTS (SELECT 1 FROM ${mcpServers} WHERE ${mcpServers.id} = ${id}::uuid)`,
    ),
  ]);
  return server;
}

/** Seconds that one may take to renew tokens, before another may try. */
const REFRESH_SECONDS = 30;

/**
 * Claims the renewal of a server's tokens, because a refresh token can be used only once; the claim has the next generation.
 * False while another one has it, and after that one is done.
 */
export async function claimRefresh(
  db: Db,
  { id, generation }: Pick<Authorization, "id" | "generation">,
): Promise<boolean> {
  const rows = await db
    .update(mcpAuthorizations)
    .set({ refreshingSince: sql`now()`, generation: sql`${mcpAuthorizations.generation} + 1` })
    .where(
      and(
        eq(mcpAuthorizations.id, id),
        eq(mcpAuthorizations.generation, generation),
        isNotNull(mcpAuthorizations.encryptedRefreshToken),
        or(
          isNull(mcpAuthorizations.refreshingSince),
          lt(mcpAuthorizations.refreshingSince, sql`now() - make_interval(secs => ${REFRESH_SECONDS})`),
        ),
      ),
    )
    .returning({ id: mcpAuthorizations.id });
  return rows.length > 0;
}

type Claim = Pick<Authorization, "id" | "generation">;

const ofClaim = ({ id, generation }: Claim) =>
  and(eq(mcpAuthorizations.id, id), eq(mcpAuthorizations.generation, generation));

/**
 * Stores renewed tokens, in a generation of their own: who read the ones before them, during the renewal, cannot claim theirs.
 * Undefined when the claim is no longer the last one.
 */
export async function storeRefreshed(
  db: Db,
  claim: Claim,
  tokens: SealedTokens,
): Promise<Authorization | undefined> {
  const [row] = await db
    .update(mcpAuthorizations)
    .set({
      ...tokens,
      refreshingSince: null,
      generation: sql`${mcpAuthorizations.generation} + 1`,
      updatedAt: sql`now()`,
    })
    .where(ofClaim(claim))
    .returning();
  return row;
}

/** Gives a claim back after a renewal that may be tried again. */
export async function releaseRefresh(db: Db, claim: Claim): Promise<void> {
  await db.update(mcpAuthorizations).set({ refreshingSince: null }).where(ofClaim(claim));
}

/** Forgets tokens that were not renewed, and with `client` null also the client that was not known. */
export async function dropTokens(
  db: Db,
  claim: Claim,
  { forgetsClient }: { forgetsClient: boolean },
): Promise<void> {
  await db
    .update(mcpAuthorizations)
    .set({ ...NO_TOKENS, ...(forgetsClient && { client: null, encryptedClientSecret: null }) })
    .where(ofClaim(claim));
}
