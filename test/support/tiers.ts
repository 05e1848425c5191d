import { and, eq, sql } from "drizzle-orm";
import { teams } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

type Tier = (typeof teams.$inferSelect)["subscriptionTier"];

/** Gives a person's personal team a tier, as a payment would. Its credits of the month do not come while a test runs. */
export async function setTier(db: Db, userId: string, tier: Tier): Promise<void> {
  await db
    .update(teams)
    .set({ subscriptionTier: tier, creditsResetAt: sql`now() + interval '1 month'` })
    .where(and(eq(teams.createdBy, userId), eq(teams.isPersonal, true)));
}
