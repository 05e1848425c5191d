import { and, eq, sql } from "drizzle-orm";
import { teams, userApiKeys } from "#src/db/schema/index.ts";
import { usableCredits } from "#src/domain/credits/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** What a team could spend now, and which models it does not want. */
export function payerById(db: Db, teamId: string) {
  return db
    .select({ credits: sql<number>`${usableCredits()}`, disabledModels: teams.disabledModels })
    .from(teams)
    .where(eq(teams.id, teamId));
}

/** Providers that somebody has a key of. */
export function providersWithKey(db: Db, userId: string) {
  return db
    .selectDistinct({ provider: userApiKeys.provider })
    .from(userApiKeys)
    .where(and(eq(userApiKeys.userId, userId), eq(userApiKeys.isActive, true)));
}
