import { z } from "zod";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { purchase, type PurchaseInput } from "#src/domain/organisations/library/index.ts";
import { buyItem } from "#src/domain/marketplace/sales/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { returnOriginOf } from "#src/http/return-origin.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import { AgentName, AGENTS, BaseName, BASES, ItemName } from "./item.ts";

const Bought = z
  .object({
    message: z.string().optional(),
    success: z.literal(true).optional().describe("Absent when the team has the item from before"),
    agent_id: z.string().optional(),
    base_id: z.string().optional(),
    checkout_url: z.string().optional().describe("Where a person pays for what is not free"),
    session_id: z.string().optional(),
    via: z.literal("orchestrator_stripe").optional(),
  })
  .meta({ id: "MarketplacePurchase" });

const shared = {
  tag: "Marketplace",
  access: { user: "any" },
  response: { status: 200, schema: Bought },
} as const;

/** The parts of a call that a purchase needs. */
interface BuyerCall {
  services: Services;
  caller: UserCaller;
  client: Client;
  request: Request;
}

const RIGHTS =
  "For the active team. Free items take the permission `marketplace.install` and are in the library at once; others take `billing.manage`, and the answer says where to pay.";

export const purchaseItem = endpoint({
  operationId: "purchaseItem",
  ...shared,
  method: "post",
  path: "/api/marketplace/purchase",
  summary: "Purchase an agent or a template",
  description: RIGHTS,
  example: { item_type: "agent", slug: "reviewer" },
  body: z
    .object({
      item_type: z.enum(["agent", "base"]).optional().describe("`agent` unless `base_id` is given"),
      item_id: ItemName.optional().describe("Id or slug"),
      agent_id: ItemName.optional(),
      base_id: ItemName.optional(),
      slug: ItemName.optional().describe("By itself, of an agent or else of a template"),
    })
    .refine(
      ({ item_id, agent_id, base_id, slug }) => (item_id ?? agent_id ?? base_id ?? slug) !== undefined,
      "Name the item by item_id, agent_id, base_id or slug",
    ),
  refusals: [400, 403, 404, 409, 502, 503],
  async handler({ body, ...call }) {
    const { item_type, item_id, agent_id, base_id, slug } = body;
    const isBase = item_type === "base" || (item_type === undefined && base_id !== undefined);
    const name = item_id ?? (isBase ? base_id : agent_id) ?? slug;
    if (name === undefined) {
      throw new AppError(
        "invalid_body",
        `item_type '${isBase ? "base" : "agent"}' does not fit the id that is given`,
      );
    }
    const isEither = (item_type ?? item_id ?? agent_id ?? base_id) === undefined;
    return isEither ? buyEither(call, name) : buy(call, { kind: isBase ? "base" : "agent", name });
  },
});

export const purchaseAgent = endpoint({
  operationId: "purchaseAgent",
  ...shared,
  method: "post",
  path: `${AGENTS}/:agent/purchase`,
  summary: "Purchase an agent",
  description: RIGHTS,
  params: AgentName,
  refusals: [403, 404, 409, 502, 503],
  handler: ({ params, ...call }) => buy(call, { kind: "agent", name: params.agent }),
});

export const purchaseBase = endpoint({
  operationId: "purchaseTemplate",
  ...shared,
  method: "post",
  path: `${BASES}/:base/purchase`,
  summary: "Purchase a template",
  description: RIGHTS,
  params: BaseName,
  refusals: [403, 404, 409, 502, 503],
  handler: ({ params, ...call }) => buy(call, { kind: "base", name: params.base }),
});

async function buyEither(call: BuyerCall, name: string): Promise<z.input<typeof Bought>> {
  try {
    return await buy(call, { kind: "agent", name });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    return buy(call, { kind: "base", name });
  }
}

async function buy(
  { services, caller, client, request }: BuyerCall,
  wish: PurchaseInput,
): Promise<z.input<typeof Bought>> {
  const bought = await purchase(services, caller, wish, client);
  const { item } = bought;
  const id = wish.kind === "agent" ? { agent_id: item.id } : { base_id: item.id };
  if (bought.outcome !== "costs") {
    return bought.outcome === "had"
      ? { message: "Already in your library", ...id }
      : { message: "Added to your library", ...id, success: true };
  }
  const sale = { kind: wish.kind, costs: bought, returnOrigin: returnOriginOf(request, services.config) };
  const { sessionId, url } = await buyItem(services, caller, sale);
  return { checkout_url: url, session_id: sessionId, ...id, via: "orchestrator_stripe" };
}
