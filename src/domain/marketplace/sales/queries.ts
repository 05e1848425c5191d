import { desc, eq, and, isNotNull } from "drizzle-orm";
import { agents, bases, libraryAgents, subscriptions } from "#src/db/schema/index.ts";
import type { ItemKind } from "#src/domain/organisations/library/index.ts";
import { isGuid } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export interface SoldItem {
  kind: ItemKind;
  id: string;
  name: string;
  slug: string;
}

/** The agent or template that a checkout pays for; `undefined` for any other checkout. */
export async function itemOfCheckout(
  db: Db,
  { type, item }: { type: string; item: string },
): Promise<SoldItem | undefined> {
  if (!isGuid(item)) return undefined;
  if (type === "agent_purchase") {
    const fields = { id: agents.id, name: agents.name, slug: agents.slug };
    const [agent] = await db.select(fields).from(agents).where(eq(agents.id, item));
    return agent && { kind: "agent", ...agent };
  }
  if (type !== "base_purchase") return undefined;
  const fields = { id: bases.id, name: bases.name, slug: bases.slug };
  const [base] = await db.select(fields).from(bases).where(eq(bases.id, item));
  return base && { kind: "base", ...base };
}

/** A team's subscriptions to agents, newest first. */
export function subscriptionsToAgents(db: Db, teamId: string) {
  return db
    .select({ subscription: subscriptions, agent: agents, row: libraryAgents })
    .from(subscriptions)
    .innerJoin(agents, eq(agents.id, subscriptions.agentId))
    .leftJoin(
      libraryAgents,
      and(
        eq(libraryAgents.teamId, subscriptions.teamId),
        eq(libraryAgents.subscriptionId, subscriptions.subscriptionId),
      ),
    )
    .where(and(eq(subscriptions.teamId, teamId), isNotNull(subscriptions.agentId)))
    .orderBy(desc(subscriptions.createdAt), desc(subscriptions.id))
    .limit(500);
}

/** The agent of one subscription of a team, and when the subscription ends; `undefined` when it is not to an agent. */
export async function subscriptionToAgent(
  db: Db,
  { teamId, subscriptionId }: { teamId: string; subscriptionId: string },
): Promise<{ agentName: string; cancelAt: Date | null } | undefined> {
  const [found] = await db
    .select({ agentName: agents.name, cancelAt: subscriptions.cancelAt })
    .from(subscriptions)
    .innerJoin(agents, eq(agents.id, subscriptions.agentId))
    .where(and(eq(subscriptions.teamId, teamId), eq(subscriptions.subscriptionId, subscriptionId)));
  return found;
}
