import { and, desc, eq, gt, sql, type SQL } from "drizzle-orm";
import { lockPerson, shareOwnTeam, shareTeam } from "#src/db/locks.ts";
import {
  externalApiKeys,
  oauthGrants,
  oauthRequests,
  oauthTokens,
  sessions,
  teams,
} from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { KeySecrets } from "#src/domain/programs/api-keys/index.ts";
import type { Db } from "#src/platform/db/client.ts";

type AppsConfig = CeilingConfig<"connected_apps">;

export type NewRequest = Omit<typeof oauthRequests.$inferInsert, "expiresAt"> & { lifeSeconds: number };

/** Stores what a client asks for, as the page of this session shows it. Throws the refusal of the ceiling on requests. */
export async function insertRequest(
  { db, config }: { db: Db; config: CeilingConfig<"app_requests"> },
  userId: string,
  { lifeSeconds, ...request }: NewRequest,
): Promise<void> {
  await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "app_requests", owner: userId }]),
      db
        .insert(oauthRequests)
        .values({ ...request, expiresAt: sql`now() + make_interval(secs => ${lifeSeconds})` }),
    ]),
  );
}

/** A request, for the session that opened it. */
export function requestOfSession(db: Db, { id, sessionId }: { id: string; sessionId: string }) {
  return db
    .select({
      clientName: oauthRequests.clientName,
      redirectUri: oauthRequests.redirectUri,
      state: oauthRequests.state,
      scopes: oauthRequests.scopes,
      decided: sql<boolean>`${oauthRequests.decision} IS NOT NULL`,
      expired: sql<boolean>`${oauthRequests.expiresAt} <= now()`,
    })
    .from(oauthRequests)
    .where(and(eq(oauthRequests.id, id), eq(oauthRequests.sessionId, sessionId)));
}

export interface Decision {
  id: string;
  sessionId: string;
  /** Null for a refusal. */
  allowed: { teamId: string; scopes: string[]; codeHash: string; codeSeconds: number } | null;
}

/**
 * Decides a request, and records it in the audit log. Of concurrent calls, one returns true. Throws the refusal of the ceiling on
 * connected apps, before the client is sent away with a code that it could not exchange.
 */
export async function decideRequest(
  { db, config }: { db: Db; config: AppsConfig },
  { id, sessionId, allowed }: Decision,
  note: AuditEntry & { userId: string },
): Promise<boolean> {
  const isOpen = sql`id = ${id}::uuid AND session_id = ${sessionId}::uuid AND decision IS NULL AND expires_at > now()`;
  const [, , , , , decided] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, allowed ? [{ ceiling: "connected_apps", owner: note.userId }] : []),
      note.teamId === undefined ? shareOwnTeam(db, note.userId) : shareTeam(db, note.teamId),
      db.execute(sql`SELECT id FROM oauth_requests WHERE ${isOpen} FOR NO KEY UPDATE`),
      insertAuditEntry(db, note, sql`EXISTS (SELECT 1 FROM oauth_requests WHERE ${isOpen})`),
      db.execute(sql`
        UPDATE oauth_requests SET decision = ${allowed ? "allow" : "deny"}, decided_at = now(),
          team_id = ${allowed?.teamId ?? null}::uuid, allowed_scopes = ${sql.param(allowed?.scopes ?? null)}::text[],
          code_hash = ${allowed?.codeHash ?? null}::text,
          code_expires_at = now() + make_interval(secs => ${allowed?.codeSeconds ?? null}::int)
        WHERE ${isOpen}
        RETURNING id
      `),
    ]),
  );
  return decided.rows.length > 0;
}

/** What a code was given for. */
export function requestByCode(db: Db, codeHash: string) {
  return db
    .select({
      id: oauthRequests.id,
      userId: sessions.userId,
      teamId: oauthRequests.teamId,
      clientId: oauthRequests.clientId,
      clientName: oauthRequests.clientName,
      redirectUri: oauthRequests.redirectUri,
      codeChallenge: oauthRequests.codeChallenge,
      used: sql<boolean>`${oauthRequests.usedAt} IS NOT NULL`,
      grantId: oauthRequests.grantId,
    })
    .from(oauthRequests)
    .innerJoin(sessions, eq(sessions.id, oauthRequests.sessionId))
    .where(eq(oauthRequests.codeHash, codeHash));
}

/** New tokens: their hashes, and how long each is good. */
export interface NewTokens {
  access: { id: string; hash: string; seconds: number };
  refresh: { id: string; hash: string; seconds: number };
}

/** The rows of new tokens for the grant of `source`, which has `grant_id`. Part of a WITH list. */
function tokensFor(source: SQL, { access, refresh }: NewTokens): SQL {
  return sql`tokens AS (
    INSERT INTO oauth_tokens (id, grant_id, kind, token_hash, expires_at)
    SELECT made.id::uuid, source.grant_id, made.kind, made.hash, now() + make_interval(secs => made.seconds::int)
    FROM (${source}) AS source, (VALUES
      (${access.id}, 'access', ${access.hash}, ${access.seconds}::int),
      (${refresh.id}, 'refresh', ${refresh.hash}, ${refresh.seconds}::int)
    ) AS made (id, kind, hash, seconds)
  )`;
}

export interface NewGrant {
  requestId: string;
  grantId: string;
  userId: string;
  teamId: string;
  clientName: string;
  returnsTo: string;
  /** Address of the MCP server that the tokens are for. */
  resource: string;
  key: KeySecrets["stored"];
  tokens: NewTokens;
}

/**
 * Uses a code up, and stores what it gives: a key without a token, the grant, and its tokens. Of concurrent calls, one gets the scopes.
 * `undefined` for a code that is used or expired, whose session has ended, or whose person has left the team. The person is locked
 * first, so that a change that ends their ways in either comes first or finds the grant. Throws the refusal of the ceiling.
 */
export async function insertGrant(
  { db, config }: { db: Db; config: AppsConfig },
  { requestId, grantId, userId, teamId, clientName, returnsTo, resource, key, tokens }: NewGrant,
  note: AuditEntry,
): Promise<string[] | undefined> {
  const [, , , , granted] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "connected_apps", owner: userId }]),
      shareTeam(db, teamId),
      lockPerson(db, userId),
      db.execute<{ scopes: string[] }>(sql`
        WITH consumed AS (
          UPDATE oauth_requests r SET used_at = now(), grant_id = ${grantId}::uuid
          FROM sessions s
          JOIN users u ON u.id = s.user_id AND u.is_active
          JOIN team_memberships m ON m.user_id = u.id AND m.team_id = ${teamId}::uuid
          WHERE r.id = ${requestId}::uuid AND r.team_id = m.team_id AND r.decision = 'allow' AND r.used_at IS NULL
            AND r.code_expires_at > now()
            AND s.id = r.session_id AND s.ended_at IS NULL AND s.expires_at > now()
          RETURNING r.client_id, r.allowed_scopes, s.user_id
        ), made AS (
          INSERT INTO external_api_keys
            (id, user_id, team_id, name, key_prefix, scope, scopes, webhook_secret_encrypted)
          SELECT ${key.id}::uuid, user_id, ${teamId}::uuid, ${clientName}::text, '', 'team', allowed_scopes,
            ${key.webhookSecretEncrypted}::text
          FROM consumed
        ), granted AS (
          INSERT INTO oauth_grants (id, user_id, key_id, client_id, client_name, returns_to, resource, expires_at)
          SELECT ${grantId}::uuid, user_id, ${key.id}::uuid, client_id, ${clientName}::text, ${returnsTo}::text, ${resource}::text,
            now() + make_interval(secs => ${tokens.refresh.seconds}::int)
          FROM consumed
        ), ${tokensFor(sql`SELECT ${grantId}::uuid AS grant_id FROM consumed`, tokens)}
        SELECT to_json(allowed_scopes) AS scopes FROM consumed
      `),
      insertAuditEntry(db, note, sql`EXISTS (SELECT 1 FROM oauth_grants g WHERE g.id = ${grantId}::uuid)`),
    ]),
  );
  return granted.rows[0]?.scopes;
}

/** The grant of a token, in any state. */
export function grantOfToken(db: Db, tokenHash: string) {
  return db
    .select({
      grantId: oauthGrants.id,
      userId: oauthGrants.userId,
      clientId: oauthGrants.clientId,
      kind: oauthTokens.kind,
      scopes: externalApiKeys.scopes,
      used: sql<boolean>`${oauthTokens.usedAt} IS NOT NULL`,
    })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grantId))
    .innerJoin(externalApiKeys, eq(externalApiKeys.id, oauthGrants.keyId))
    .where(eq(oauthTokens.tokenHash, tokenHash));
}

/** Uses a refresh token up and stores its successors, in one statement: of concurrent calls with one token, one returns true. */
export async function rotateTokens(db: Db, tokenHash: string, next: NewTokens): Promise<boolean> {
  const { rows } = await db.execute(sql`
    WITH consumed AS (
      UPDATE oauth_tokens t SET used_at = now()
      FROM oauth_grants g JOIN external_api_keys k ON k.id = g.key_id JOIN users u ON u.id = g.user_id
      WHERE t.token_hash = ${tokenHash} AND t.kind = 'refresh' AND t.used_at IS NULL AND t.expires_at > now()
        AND g.id = t.grant_id AND k.is_active AND u.is_active
      RETURNING t.grant_id
    ), kept AS (
      UPDATE oauth_grants g SET expires_at = now() + make_interval(secs => ${next.refresh.seconds}::int)
      FROM consumed WHERE g.id = consumed.grant_id
    ), ${tokensFor(sql`SELECT grant_id FROM consumed`, next)}
    SELECT grant_id FROM consumed
  `);
  return rows.length > 0;
}

/**
 * Ends a grant for good, and records it. Returns the id of its key, whose tasks are to be ended; `undefined` for a grant that has
 * ended, or another person's.
 */
export async function endGrantRow(
  db: Db,
  { grantId, userId }: { grantId: string; userId: string },
  note: Pick<AuditEntry, "action" | "client">,
): Promise<string | undefined> {
  const own = sql`k.is_active AND k.id = (
    SELECT g.key_id FROM oauth_grants g WHERE g.id = ${grantId}::uuid AND g.user_id = ${userId}::uuid)`;
  const entry = { ...note, userId, resourceType: "connected_app", resourceId: grantId };
  const [, , , ended] = await db.batch([
    shareOwnTeam(db, userId),
    db.execute(sql`SELECT k.id FROM external_api_keys k WHERE ${own} FOR NO KEY UPDATE`),
    insertAuditEntry(db, entry, sql`EXISTS (SELECT 1 FROM external_api_keys k WHERE ${own})`),
    db.execute<{ id: string }>(sql`
      UPDATE external_api_keys k SET is_active = false, revoked_at = now() WHERE ${own} RETURNING k.id
    `),
  ]);
  return ended.rows[0]?.id;
}

/** Makes one access token invalid. */
export async function expireToken(db: Db, tokenHash: string): Promise<void> {
  await db
    .update(oauthTokens)
    .set({ expiresAt: sql`now()` })
    .where(and(eq(oauthTokens.tokenHash, tokenHash), eq(oauthTokens.kind, "access")));
}

/** Ends all grants of a person. Returns a query for a batch, as in `endWaysIn`; it returns the ids of their keys. */
export function endGrantsOf(db: Db, userId: string, onlyIf: SQL = sql`TRUE`) {
  return db.execute<{ id: string }>(sql`
    UPDATE external_api_keys k SET is_active = false, revoked_at = now()
    FROM oauth_grants g
    WHERE g.user_id = ${userId}::uuid AND k.id = g.key_id AND k.is_active AND ${onlyIf}
    RETURNING k.id
  `);
}

/** The grants of a person that are good, the newest first. */
export function grantsOf(db: Db, userId: string) {
  return db
    .select({
      id: oauthGrants.id,
      clientName: oauthGrants.clientName,
      returnsTo: oauthGrants.returnsTo,
      team: teams.name,
      scopes: externalApiKeys.scopes,
      createdAt: oauthGrants.createdAt,
      lastUsedAt: externalApiKeys.lastUsedAt,
      expiresAt: oauthGrants.expiresAt,
    })
    .from(oauthGrants)
    .innerJoin(externalApiKeys, eq(externalApiKeys.id, oauthGrants.keyId))
    .innerJoin(teams, eq(teams.id, externalApiKeys.teamId))
    .where(
      and(
        eq(oauthGrants.userId, userId),
        eq(externalApiKeys.isActive, true),
        gt(oauthGrants.expiresAt, sql`now()`),
      ),
    )
    .orderBy(desc(oauthGrants.id));
}
