import { and, count, desc, eq, gt, inArray, ne, or, sql } from "drizzle-orm";
import { externalApiKeys, projects, users } from "#src/db/schema/index.ts";
import type { Membership } from "#src/domain/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type ApiKey = typeof externalApiKeys.$inferSelect;
export type NewApiKey = typeof externalApiKeys.$inferInsert;

/** How many of these projects a member of their team may bind a key to. */
export async function countReachableProjects(
  db: Db,
  userId: string,
  { teamId, role }: Membership,
  projectIds: readonly string[],
): Promise<number> {
  const visible =
    role === "admin" ? undefined : or(ne(projects.visibility, "private"), eq(projects.ownerId, userId));
  const [row] = await db
    .select({ reachable: count() })
    .from(projects)
    .where(and(inArray(projects.id, [...projectIds]), eq(projects.teamId, teamId), visible));
  return row?.reachable ?? 0;
}

/**
 * Store a key, unless its owner then has more than `limit` active ones. Creations of one owner wait for one another at
 * the owner's row, so each counts what the others have committed; one too many is taken back before anybody sees it.
 */
export async function insertKeyWithin(db: Db, limit: number, key: NewApiKey): Promise<ApiKey | undefined> {
  const active = db
    .select({ active: count() })
    .from(externalApiKeys)
    .where(and(eq(externalApiKeys.userId, key.userId), eq(externalApiKeys.isActive, true)));
  const [, [created], takenBack] = await db.batch([
    db.select({ id: users.id }).from(users).where(eq(users.id, key.userId)).for("no key update"),
    db.insert(externalApiKeys).values(key).returning(),
    db
      .delete(externalApiKeys)
      .where(and(eq(externalApiKeys.id, key.id), gt(sql`(${active})`, limit)))
      .returning({ id: externalApiKeys.id }),
  ]);
  return takenBack.length === 0 ? created : undefined;
}

/** All keys of a user, revoked ones too, newest first. */
export function keysOfUser(db: Db, userId: string) {
  return db
    .select()
    .from(externalApiKeys)
    .where(eq(externalApiKeys.userId, userId))
    .orderBy(desc(externalApiKeys.id));
}

/** End a key for good: without its hash nothing finds it again. No row for one that is over or somebody else's. */
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
    .returning({ id: externalApiKeys.id });
}

export function keyOfUser(db: Db, userId: string, keyId: string) {
  return db
    .select({ id: externalApiKeys.id })
    .from(externalApiKeys)
    .where(and(eq(externalApiKeys.id, keyId), eq(externalApiKeys.userId, userId)));
}
