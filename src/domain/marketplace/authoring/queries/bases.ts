import { and, desc, eq } from "drizzle-orm";
import { bases } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

type Base = typeof bases.$inferSelect;

/** What a template's creator says of it. */
export type BaseChange = Partial<
  Pick<
    Base,
    | "name"
    | "description"
    | "gitRepoUrl"
    | "defaultBranch"
    | "category"
    | "visibility"
    | "longDescription"
    | "icon"
    | "tags"
    | "features"
    | "techStack"
    | "pricingType"
    | "priceCents"
  >
>;

/** Changes a person's template. `undefined` for one that is missing or another person's. */
export async function updateBaseRow(
  db: Db,
  { id, createdBy }: { id: string; createdBy: string },
  change: BaseChange,
): Promise<Base | undefined> {
  const which = and(eq(bases.id, id), eq(bases.createdBy, createdBy));
  const [updated] =
    Object.keys(change).length === 0
      ? await db.select().from(bases).where(which)
      : await db.update(bases).set(change).where(which).returning();
  return updated;
}

/** A person's templates, newest first. */
export function basesOfCreator(db: Db, createdBy: string) {
  return db.select().from(bases).where(eq(bases.createdBy, createdBy)).orderBy(desc(bases.id)).limit(500);
}
