import {
  createCheckout,
  verifyCheckout,
  type OpenSession,
  type SettleDeps,
} from "#src/domain/billing/checkouts/index.ts";
import type { Costs, ItemKind } from "#src/domain/organisations/library/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { itemOfCheckout, type SoldItem } from "./queries.ts";

/** Opens a page on which the team pays for an item, once or every month. Throws as `createCheckout`. */
export function buyItem(
  deps: SettleDeps,
  caller: UserCaller,
  { kind, costs, returnOrigin }: { kind: ItemKind; costs: Costs; returnOrigin: string },
): Promise<OpenSession> {
  const { item, teamId } = costs;
  const page = `/marketplace/${kind}/${item.slug}`;
  return createCheckout(deps, {
    userId: caller.userId,
    teamId,
    returnOrigin,
    type: kind === "agent" ? "agent_purchase" : "base_purchase",
    item: item.id,
    name: item.name,
    amountCents: item.priceCents,
    currency: "usd",
    interval: item.pricingType === "monthly" ? "month" : undefined,
    metadata: {
      [`${kind}_id`]: item.id,
      pricing_type: item.pricingType,
      amount_cents: String(item.priceCents),
    },
    paths: {
      success: `/marketplace/success?${kind}=${item.slug}&session_id={CHECKOUT_SESSION_ID}`,
      cancel: page,
    },
  });
}

/**
 * Settles the caller's team's payment for an item, if it is not settled yet, and returns what it paid for. `slug` is what
 * the client believes it bought: a session pays for its own item alone. Throws `invalid_input` for a session that is not
 * paid or of something else, `not_found` for an unknown one, `forbidden` for another team's, and what the provider throws.
 */
export async function verifyPurchase(
  deps: SettleDeps,
  caller: UserCaller,
  { sessionId, slug }: { sessionId: string; slug: string | undefined },
): Promise<SoldItem> {
  const { teamId } = await requireTeam(deps, caller, "billing.manage");
  const verified = await verifyCheckout(deps, { sessionId, teamId });
  if (!verified) throw new AppError("not_found", "There is no such checkout");
  const { state, checkout } = verified;
  const item = await itemOfCheckout(deps.db, checkout);
  if (!item) throw new AppError("invalid_input", "This checkout did not pay for an agent or a template");
  if (slug !== undefined && slug !== item.slug) {
    throw new AppError("invalid_input", `This checkout paid for '${item.slug}', not for '${slug}'`);
  }
  if (state !== "paid") throw new AppError("invalid_input", "This checkout is not paid yet");
  return item;
}
