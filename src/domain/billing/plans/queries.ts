import { and, desc, eq, isNotNull, notInArray, sql } from "drizzle-orm";
import { subscriptions, teams } from "#src/db/schema/index.ts";
import { rankOf } from "#src/domain/billing/subscriptions/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * A team's tier, the deployments that it bought beyond it, its id at the provider, and its subscription to a tier that is not
 * over, the highest of several.
 */
export async function planOfTeam(db: Db, teamId: string) {
  const [row] = await db
    .select({
      tier: teams.subscriptionTier,
      deploySlots: teams.deploySlots,
      customerId: teams.stripeCustomerId,
      subscription: subscriptions,
    })
    .from(teams)
    .leftJoin(
      subscriptions,
      and(
        eq(subscriptions.teamId, teams.id),
        isNotNull(subscriptions.tier),
        notInArray(subscriptions.status, ["canceled", "incomplete", "incomplete_expired"]),
      ),
    )
    .where(eq(teams.id, teamId))
    .orderBy(desc(rankOf(sql`${subscriptions.tier}`)))
    .limit(1);
  return row;
}
