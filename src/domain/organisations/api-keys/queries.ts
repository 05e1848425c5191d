import { and, count, desc, eq, inArray, isNotNull, lt, notExists, sql } from "drizzle-orm";
import { lockPerson, shareTeam } from "#src/db/locks.ts";
import { externalApiKeys, projects, teamMemberships } from "#src/db/schema/index.ts";
import { insertAuditEntry, type AuditEntry } from "#src/domain/organisations/audit/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type ApiKey = typeof externalApiKeys.$inferSelect;
export type NewApiKey = typeof externalApiKeys.$inferInsert;

/** The teams of those of these projects that a person may bind a key to, and the person's role in each; null for no member. */
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
 * Store a key, unless its owner then has more than `limit` active ones, or is not in the team any more. Creations of one
 * owner wait for one another at the owner's row, so each counts what the others have committed; one too many is taken
 * back before anybody sees it. A removal of the owner from the team waits there, too, and so finds the key and takes it
 * along. Locks are taken in the order team, person.
 */
export async function insertKeyWithin(
  db: Db,
  limit: number,
  key: NewApiKey,
  entry: AuditEntry,
): Promise<ApiKey | "too_many" | "not_a_member"> {
  const active = db
    .select({ active: count() })
    .from(externalApiKeys)
    .where(and(eq(externalApiKeys.userId, key.userId), eq(externalApiKeys.isActive, true)));
  const part = partInTeam(db, key);
  const [, , [member], [created], takenBack] = await db.batch([
    shareTeam(db, key.teamId),
    lockPerson(db, key.userId),
    part,
    db.insert(externalApiKeys).values(key).returning(),
    db
      .delete(externalApiKeys)
      .where(and(eq(externalApiKeys.id, key.id), sql`((${active}) > ${limit} OR NOT EXISTS (${part}))`))
      .returning({ id: externalApiKeys.id }),
    insertAuditEntry(db, entry, sql`EXISTS (SELECT 1 FROM external_api_keys k WHERE k.id = ${key.id}::uuid)`),
  ]);
  if (!member) return "not_a_member";
  return created && takenBack.length === 0 ? created : "too_many";
}

function partInTeam(db: Db, { teamId, userId }: { teamId: string; userId: string }) {
  return db
    .select({ teamId: teamMemberships.teamId })
    .from(teamMemberships)
    .where(and(eq(teamMemberships.teamId, teamId), eq(teamMemberships.userId, userId)));
}

/** Keys of a user, revoked ones too, newest first: all, or at most `limit` of those that follow the key `after`. */
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
        after === undefined ? undefined : lt(externalApiKeys.id, after),
      ),
    )
    .orderBy(desc(externalApiKeys.id));
  return limit === undefined ? found : found.limit(limit);
}

/** End a key for good: without its hash nothing finds it again. No row for one that is over or another person's. */
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

/** End the keys of a person who is not in the team any more. A query for the batch of the removal. */
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
