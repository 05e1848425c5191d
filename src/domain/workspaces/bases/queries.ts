import { and, desc, eq, inArray, not, or, sql } from "drizzle-orm";
import { bases } from "#src/db/schema/index.ts";
import { isBaseSold } from "#src/db/sold-items.ts";
import { isEntitledToBase } from "#src/domain/organisations/library/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Base = typeof bases.$inferSelect;
export type NewBase = typeof bases.$inferInsert;

/** The person's own templates and the public ones, newest first. */
export function basesFor(db: Db, userId: string) {
  return db
    .select()
    .from(bases)
    .where(or(eq(bases.createdBy, userId), eq(bases.visibility, "public")))
    .orderBy(desc(bases.id))
    .limit(500);
}

export function findBase(db: Db, idOrSlug: string) {
  return db
    .select()
    .from(bases)
    .where(isId(idOrSlug) ? eq(bases.id, idOrSlug) : eq(bases.slug, idOrSlug));
}

/** A template, and whether a person may begin a team's project with it. */
export function findBaseFor(db: Db, idOrSlug: string, user: { teamId: string; userId: string }) {
  return db
    .select({ base: bases, isEntitled: isEntitledToBase(user) })
    .from(bases)
    .where(isId(idOrSlug) ? eq(bases.id, idOrSlug) : eq(bases.slug, idOrSlug));
}

export interface LimitedDb {
  db: Db;
  config: CeilingConfig<"templates">;
}

/** Throws the refusal of the ceiling on templates, before an archive is read. */
export async function requireRoom({ db, config }: LimitedDb, userId: string): Promise<void> {
  await whileThereIsRoom(db.batch(roomFor(db, config, [{ ceiling: "templates", owner: userId }])));
}

/** Stores a template; no row when its slug is taken. Throws as `requireRoom` does. */
export async function insertBase(
  { db, config }: LimitedDb,
  base: NewBase & { createdBy: string },
): Promise<Base | undefined> {
  const room = roomFor(db, config, [{ ceiling: "templates", owner: base.createdBy }]);
  const insert = db.insert(bases).values(base).onConflictDoNothing({ target: bases.slug }).returning();
  const [, , [stored]] = await whileThereIsRoom(db.batch([...room, insert]));
  return stored;
}

/** Deletes a person's template; no row if it is missing, belongs to another person, or is sold. */
export function deleteBaseRow(db: Db, id: string, createdBy: string) {
  return db
    .delete(bases)
    .where(and(eq(bases.id, id), eq(bases.createdBy, createdBy), not(isBaseSold(sql`bases.id`))))
    .returning({ id: bases.id });
}

/** Those of the ids that exist. */
export function existingBases(db: Db, ids: readonly string[]) {
  return db
    .select({ id: bases.id })
    .from(bases)
    .where(inArray(bases.id, [...ids]));
}
