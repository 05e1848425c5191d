import { and, eq, isNotNull, isNull, notInArray, or, sql } from "drizzle-orm";
import { subscriptions, teams } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Observation } from "./sync.ts";

/** What is stored of a subscription. */
export async function lastState(
  db: Db,
  subscriptionId: string,
): Promise<Omit<Observation, "observedAt"> | undefined> {
  const [row] = await db
    .select({ subscription: subscriptions, customerId: teams.stripeCustomerId })
    .from(subscriptions)
    .leftJoin(teams, eq(teams.id, subscriptions.teamId))
    .where(eq(subscriptions.subscriptionId, subscriptionId));
  if (!row) return undefined;
  const { subscription: last, customerId } = row;
  return {
    subscriptionId,
    customerId: customerId ?? "",
    status: last.status,
    tier: last.tier ?? undefined,
    agentId: last.agentId ?? undefined,
    priceId: last.priceId,
    amountCents: last.amountCents ?? undefined,
    currency: last.currency,
    periodStart: last.periodStart,
    periodEnd: last.periodEnd,
    cancelAt: last.cancelAt ?? undefined,
    paidInvoiceId: last.latestInvoiceId ?? undefined,
  };
}

const isCurrent = notInArray(subscriptions.status, ["canceled", "incomplete_expired"]);

/** Current subscriptions whose team is deleted, or whose agent is: nothing is had for them. */
export async function subscriptionsWithoutTeam(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: subscriptions.subscriptionId })
    .from(subscriptions)
    .where(
      and(
        isCurrent,
        or(isNull(subscriptions.teamId), and(isNull(subscriptions.tier), isNull(subscriptions.agentId))),
      ),
    )
    .limit(limit);
  return rows.map(({ id }) => id);
}

/**
 * Subscriptions of teams whose stored state is due to be another, or is a day old.
 */
export async function subscriptionsDue(
  db: Db,
  { graceDays, limit }: { graceDays: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: subscriptions.subscriptionId })
    .from(subscriptions)
    .where(
      and(
        isCurrent,
        isNotNull(subscriptions.teamId),
        or(
          sql`${subscriptions.periodEnd} < now()`,
          sql`${subscriptions.cancelAt} < now()`,
          sql`${subscriptions.pastDueSince} + make_interval(days => ${graceDays}::int) < now()`,
          sql`${subscriptions.observedAt} < now() - interval '1 day'`,
        ),
      ),
    )
    // In no order: those that fail each time would be first for ever.
    .orderBy(sql`random()`)
    .limit(limit);
  return rows.map(({ id }) => id);
}
