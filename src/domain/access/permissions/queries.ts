import { and, eq, inArray, isNull, sql, type SQL } from "drizzle-orm";
import {
  externalApiKeys,
  oauthGrants,
  oauthTokens,
  sessions,
  teamMemberships,
  users,
} from "#src/db/schema/index.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";
import { rolesGranting, type Scope } from "./scopes.ts";

const KEY_FIELDS = {
  keyId: externalApiKeys.id,
  userId: externalApiKeys.userId,
  teamId: externalApiKeys.teamId,
  scopes: externalApiKeys.scopes,
  projectIds: externalApiKeys.projectIds,
  // Of the keys that are active, those of connected apps alone have no token.
  isApp: isNull(externalApiKeys.keyHash).mapWith(Boolean),
  expired: sql<boolean>`coalesce(${externalApiKeys.expiresAt} <= now(), false)`,
  userIsActive: users.isActive,
  role: teamMemberships.role,
};

const OWNER_IN_TEAM = and(
  eq(teamMemberships.teamId, externalApiKeys.teamId),
  eq(teamMemberships.userId, externalApiKeys.userId),
);

/**
 * The key with this hash, its owner and the owner's role in the key's team. The same statement refreshes `last_used_at`, at
 * most once a minute, so that not every call writes the row.
 */
export const keyByHash = statement((db, { keyHash }: { keyHash: Slot<string> }) => {
  const touched = db.$with("touched").as(
    db
      .update(externalApiKeys)
      .set({ lastUsedAt: sql`now()` })
      .where(
        and(
          eq(externalApiKeys.keyHash, keyHash),
          sql`coalesce(${externalApiKeys.lastUsedAt}, 'epoch') < now() - interval '1 minute'`,
        ),
      )
      .returning({ id: externalApiKeys.id }),
  );
  return db
    .with(touched)
    .select(KEY_FIELDS)
    .from(externalApiKeys)
    .innerJoin(users, eq(users.id, externalApiKeys.userId))
    .leftJoin(teamMemberships, OWNER_IN_TEAM)
    .where(and(eq(externalApiKeys.keyHash, keyHash), eq(externalApiKeys.isActive, true)));
});

/** As `keyByHash`, by the key's id, for what a key asked for earlier. */
export function keyById(db: Db, keyId: string) {
  return db
    .select(KEY_FIELDS)
    .from(externalApiKeys)
    .innerJoin(users, eq(users.id, externalApiKeys.userId))
    .leftJoin(teamMemberships, OWNER_IN_TEAM)
    .where(and(eq(externalApiKeys.id, keyId), eq(externalApiKeys.isActive, true)));
}

/**
 * The key of the grant that has this access token, as `keyByHash`, and the resource that the token is for. `expired` is the
 * token's.
 */
export const keyByGrantToken = statement((db, { tokenHash }: { tokenHash: Slot<string> }) => {
  const isToken = and(eq(oauthTokens.tokenHash, tokenHash), eq(oauthTokens.kind, "access"));
  const touched = db.$with("touched").as(
    db
      .update(externalApiKeys)
      .set({ lastUsedAt: sql`now()` })
      .where(
        and(
          inArray(
            externalApiKeys.id,
            db
              .select({ keyId: oauthGrants.keyId })
              .from(oauthTokens)
              .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grantId))
              .where(isToken),
          ),
          sql`coalesce(${externalApiKeys.lastUsedAt}, 'epoch') < now() - interval '1 minute'`,
        ),
      )
      .returning({ id: externalApiKeys.id }),
  );
  return db
    .with(touched)
    .select({
      ...KEY_FIELDS,
      expired: sql<boolean>`${oauthTokens.expiresAt} <= now()`,
      resource: oauthGrants.resource,
    })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grantId))
    .innerJoin(externalApiKeys, eq(externalApiKeys.id, oauthGrants.keyId))
    .innerJoin(users, eq(users.id, externalApiKeys.userId))
    .leftJoin(teamMemberships, OWNER_IN_TEAM)
    .where(and(isToken, eq(externalApiKeys.isActive, true)));
});

/** SQL value: the team of the connected app that acts as this key; null for a `tsk_` key and for none. */
export function teamOfApp(keyId: SQL): SQL {
  return sql`(SELECT k.team_id FROM oauth_grants AS g JOIN external_api_keys AS k ON k.id = g.key_id WHERE g.key_id = ${keyId}::uuid)`;
}

/**
 * SQL query: the key with this id, if it may use the permission in the project. No row for a key that is revoked or expired,
 * that lacks the permission or is bound to other projects, or whose owner is inactive or has no role in the key's team that
 * grants it. Locks the row, so that a revocation at the same time is either seen or waits for the transaction.
 */
export function keyThatMay(scope: Scope, { keyId, projectId }: Record<"keyId" | "projectId", SQL>): SQL {
  return sql`SELECT k.id FROM external_api_keys k
    JOIN users ON users.id = k.user_id AND users.is_active
    JOIN team_memberships m ON m.team_id = k.team_id AND m.user_id = k.user_id
    WHERE k.id = ${keyId}::uuid AND k.is_active AND coalesce(k.expires_at > now(), true)
      AND m.role IN (${sql.join(rolesGranting(scope), sql`, `)})
      AND (k.scopes IS NULL OR ${scope} = ANY (k.scopes))
      AND (k.project_ids IS NULL OR ${projectId}::uuid = ANY (k.project_ids))
    FOR KEY SHARE OF k`;
}

export type KeyRow = Awaited<ReturnType<typeof keyByHash>>[number];

/** The person of an active session. The same statement refreshes the session's `last_used_at`, at most once a minute. */
export const userOfSession = statement(
  (db, { userId, sessionId }: Record<"userId" | "sessionId", Slot<string>>) => {
    const touched = db.$with("touched").as(
      db
        .update(sessions)
        .set({ lastUsedAt: sql`now()` })
        .where(
          and(
            eq(sessions.id, sessionId),
            isNull(sessions.endedAt),
            sql`${sessions.lastUsedAt} < now() - interval '1 minute'`,
          ),
        )
        .returning({ id: sessions.id }),
    );
    return db
      .with(touched)
      .select({ isSuperuser: users.isSuperuser })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(
        and(
          eq(sessions.id, sessionId),
          eq(sessions.userId, userId),
          isNull(sessions.endedAt),
          eq(users.isActive, true),
        ),
      );
  },
);
