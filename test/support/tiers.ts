import { and, eq } from "drizzle-orm";
import { teams } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

type Tier = (typeof teams.$inferSelect)["subscriptionTier"];

/** Give a person's personal team a tier, as a payment would. */
export async function setTier(db: Db, userId: string, tier: Tier): Promise<void> {
  await db
    .update(teams)
    .set({ subscriptionTier: tier })
    .where(and(eq(teams.createdBy, userId), eq(teams.isPersonal, true)));
}
