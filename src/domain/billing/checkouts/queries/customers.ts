import { and, eq, isNull } from "drizzle-orm";
import { teams } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A team's id at the provider, null until it is one. */
export function customerOfTeam(db: Db, teamId: string) {
  return db.select({ customerId: teams.stripeCustomerId }).from(teams).where(eq(teams.id, teamId));
}

/** Stores a team's id at the provider, unless it has one. */
export async function setCustomer(db: Db, teamId: string, customerId: string): Promise<void> {
  await db
    .update(teams)
    .set({ stripeCustomerId: customerId })
    .where(and(eq(teams.id, teamId), isNull(teams.stripeCustomerId)));
}
