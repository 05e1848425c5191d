import { requireRole, type UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam, whileTeamExists } from "#src/domain/organisations/teams/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { findItem, type Item, type ItemKind } from "./queries/items.ts";
import { switchAgent } from "./queries/library.ts";
import { takeBack, takeItem } from "./queries/take.ts";

export interface PurchaseInput {
  kind: ItemKind;
  /** Id or slug. */
  name: string;
}

/** An item that a team has to pay for. */
export interface Costs {
  outcome: "costs";
  item: Item & { pricingType: "one_time" | "monthly" };
  teamId: string;
}

/** What became of a purchase: the team has the item, for free or from before, or has to pay for it. */
export type Purchase = { outcome: "taken" | "had"; item: Item } | Costs;

const NOUNS: Record<ItemKind, string> = { agent: "Agent", base: "Template" };
const ITEM_NAME = /^[a-z0-9-]{1,100}$/iu;

/**
 * Takes an item of the marketplace for the caller's team, or says that it costs money. What the team switched off is
 * switched on again, and what it paid for and removed comes back without another payment. Throws `not_found`, and
 * `forbidden` without the permission: to install for what is free, to manage billing for what is paid.
 */
export async function purchase(
  deps: { db: Db },
  caller: UserCaller,
  { kind, name }: PurchaseInput,
  client: Client,
): Promise<Purchase> {
  const { db } = deps;
  const { teamId, role } = await requireTeam(deps, caller, "marketplace.read");
  const { userId } = caller;
  const item = ITEM_NAME.test(name) ? await findItem(db, { kind, name, teamId, userId }) : undefined;
  if (!item) throw new AppError("not_found", `${NOUNS[kind]} not found`);
  requireRole(role, item.pricingType === "free" ? "marketplace.install" : "billing.manage");
  const entry = {
    userId,
    teamId,
    action: "marketplace.installed",
    resourceType: kind,
    resourceId: item.id,
    details: { name: item.name, slug: item.slug },
    client,
  };
  const taking = { kind, id: item.id, teamId, userId };
  if (item.isOwn || item.holding === "on") return { outcome: "had", item };
  if (item.holding === "off") {
    await switchAgent(db, { teamId, agentId: item.id, isActive: true }, entry);
    return { outcome: "had", item };
  }
  if (item.pricingType === "free") {
    return { outcome: (await whileTeamExists(takeItem(db, taking, entry))) ? "taken" : "had", item };
  }
  if (item.isPaid && (await takeBack(db, taking, entry))) return { outcome: "had", item };
  return { outcome: "costs", item: { ...item, pricingType: item.pricingType }, teamId };
}
