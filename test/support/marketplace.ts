import { agents, bases } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** An agent in the marketplace, free unless the values say otherwise; of the service itself without a team. */
export async function listAgent(db: Db, values: Partial<typeof agents.$inferInsert> = {}) {
  const id = newId();
  const [agent] = await db
    .insert(agents)
    .values({ id, slug: `listed-${id}`, name: `Listed ${id}`, isPublished: true, ...values })
    .returning();
  if (!agent) throw new Error("The agent was not made");
  return agent;
}

/** A public template in the marketplace. */
export async function listBase(db: Db, values: Partial<typeof bases.$inferInsert> = {}) {
  const id = newId();
  const [base] = await db
    .insert(bases)
    .values({
      id,
      slug: `listed-${id}`,
      name: `Listed ${id}`,
      visibility: "public",
      fileCount: 0,
      totalBytes: 0,
      ...values,
    })
    .returning();
  if (!base) throw new Error("The template was not made");
  return base;
}
