import { and, eq, isNull, sql } from "drizzle-orm";
import { externalApiKeys, sessions, teamMemberships, users } from "#src/db/schema/index.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";

const KEY_FIELDS = {
  keyId: externalApiKeys.id,
  userId: externalApiKeys.userId,
  teamId: externalApiKeys.teamId,
  scopes: externalApiKeys.scopes,
  projectIds: externalApiKeys.projectIds,
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
