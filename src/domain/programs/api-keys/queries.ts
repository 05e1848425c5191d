import { and, desc, eq, inArray, isNotNull, lt, notExists, sql } from "drizzle-orm";
import { lockPerson, shareTeam } from "#src/db/locks.ts";
import { externalApiKeys, oauthGrants, projects, teamMemberships } from "#src/db/schema/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type ApiKey = typeof externalApiKeys.$inferSelect;
export type NewApiKey = typeof externalApiKeys.$inferInsert;

/** The teams of these projects, and the person's role in each; null for a team of which the person is not a member. */
export function reachableProjects(db: Db, userId: string, projectIds: readonly string[]) {
  return db
    .select({ teamId: projects.teamId, role: teamMemberships.role })
    .from(projects)
    .leftJoin(
      teamMemberships,
      and(eq(teamMemberships.teamId, projects.teamId), eq(teamMemberships.userId, userId)),
    )
    .where(
      and(inArray(projects.id, [...projectIds]), isNotNull(roleInProject({ userId, isSuperuser: false }))),
    );
}

/**
 * Stores a key, unless its owner is no longer in the team: the key is then deleted within the transaction. A concurrent
 * removal of the owner from the team waits for the lock on the owner, and then revokes the new key. Locks are taken in the
 * order team, person. Throws the refusal of the ceiling on keys.
 */
export async function insertKey(
  { db, config }: { db: Db; config: CeilingConfig<"api_keys"> },
  key: NewApiKey,
  entry: AuditEntry,
): Promise<ApiKey | undefined> {
  const part = partInTeam(db, key);
  const [, , , , [created], takenBack] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "api_keys", owner: key.userId }]),
      shareTeam(db, key.teamId),
      lockPerson(db, key.userId),
      db.insert(externalApiKeys).values(key).returning(),
      db
        .delete(externalApiKeys)
        .where(and(eq(externalApiKeys.id, key.id), notExists(part)))
        .returning({ id: externalApiKeys.id }),
      insertAuditEntry(
        db,
        entry,
        sql`EXISTS (SELECT 1 FROM external_api_keys k WHERE k.id = ${key.id}::uuid)`,
      ),
    ]),
  );
  return takenBack.length === 0 ? created : undefined;
}

function partInTeam(db: Db, { teamId, userId }: { teamId: string; userId: string }) {
  return db
    .select({ teamId: teamMemberships.teamId })
    .from(teamMemberships)
    .where(and(eq(teamMemberships.teamId, teamId), eq(teamMemberships.userId, userId)));
}

/** A grant's key has no token, and is shown as a connected app. */
const isOfNoApp = (db: Db) =>
  notExists(
    db.select({ id: oauthGrants.id }).from(oauthGrants).where(eq(oauthGrants.keyId, externalApiKeys.id)),
  );

/** Keys of a user, including revoked ones, newest first: all, or at most `limit` that follow the key `after`. */
export function keysOfUser(
  db: Db,
  userId: string,
  { limit, after }: { limit?: number | undefined; after?: string | undefined },
) {
  const found = db
    .select()
    .from(externalApiKeys)
    .where(
      and(
        eq(externalApiKeys.userId, userId),
        isOfNoApp(db),
        after === undefined ? undefined : lt(externalApiKeys.id, after),
      ),
    )
    .orderBy(desc(externalApiKeys.id));
  return limit === undefined ? found : found.limit(limit);
}

/** Hours in which the secret before a rotation still signs. */
const OVERLAP_HOURS = 24;

/** Replaces the secret of a key's callbacks, and keeps the previous one for the overlap. No row as for `revokeKey`. */
export function replaceWebhookSecret(
  db: Db,
  { userId, keyId, encrypted }: { userId: string; keyId: string; encrypted: string },
) {
  return db
    .update(externalApiKeys)
    .set({
      webhookSecretEncrypted: encrypted,
      previousWebhookSecretEncrypted: sql`${externalApiKeys.webhookSecretEncrypted}`,
      previousWebhookSecretUntil: sql`now() + make_interval(hours => ${OVERLAP_HOURS}::int)`,
    })
    .where(
      and(
        eq(externalApiKeys.id, keyId),
        eq(externalApiKeys.userId, userId),
        eq(externalApiKeys.isActive, true),
      ),
    )
    .returning();
}

/** Revokes a key for good: without its hash no lookup finds it. No row for a revoked key or another person's. */
export function revokeKey(db: Db, userId: string, keyId: string) {
  return db
    .update(externalApiKeys)
    .set({ isActive: false, keyHash: null, revokedAt: sql`now()` })
    .where(
      and(
        eq(externalApiKeys.id, keyId),
        eq(externalApiKeys.userId, userId),
        eq(externalApiKeys.isActive, true),
      ),
    )
    .returning({ id: externalApiKeys.id, teamId: externalApiKeys.teamId });
}

/** Revokes the keys of a person who has left the team. Returns a query for the batch of the removal. */
export function revokeKeysOfFormerMember(db: Db, part: { teamId: string; userId: string }) {
  return db
    .update(externalApiKeys)
    .set({ isActive: false, keyHash: null, revokedAt: sql`now()` })
    .where(
      and(
        eq(externalApiKeys.teamId, part.teamId),
        eq(externalApiKeys.userId, part.userId),
        eq(externalApiKeys.isActive, true),
        notExists(partInTeam(db, part)),
      ),
    )
    .returning({ id: externalApiKeys.id });
}

export function keyOfUser(db: Db, userId: string, keyId: string) {
  return db
    .select({ id: externalApiKeys.id, teamId: externalApiKeys.teamId })
    .from(externalApiKeys)
    .where(and(eq(externalApiKeys.id, keyId), eq(externalApiKeys.userId, userId)));
}
