import { z } from "zod";
import * as sales from "#src/domain/marketplace/sales/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { isPast, ItemName } from "./item.ts";

const shared = { tag: "Marketplace", access: { user: "any" } } as const;

export const verifyPurchase = endpoint({
  operationId: "verifyPurchase",
  ...shared,
  method: "post",
  path: "/api/marketplace/verify-purchase",
  summary: "Verify a purchase",
  description:
    "What a checkout of the active team paid for is granted now, if the provider's event did not come first. A checkout pays for its own item alone.",
  example: { session_id: "cs_test_example" },
  body: z.object({
    session_id: text({ min: 1, max: 255 }),
    agent_slug: ItemName.optional().describe("Refused when the checkout is for another item"),
  }),
  refusals: [400, 403, 404, 502, 503],
  response: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      message: z.string(),
      agent_id: z.string().optional(),
      agent_name: z.string().optional(),
      base_id: z.string().optional(),
      base_name: z.string().optional(),
    }),
  },
  async handler({ services, caller, body }) {
    const wish = { sessionId: body.session_id, slug: body.agent_slug };
    const { kind, id, name } = await sales.verifyPurchase(services, caller, wish);
    return {
      success: true as const,
      message: `${name} is in your library`,
      ...(kind === "agent" ? { agent_id: id, agent_name: name } : { base_id: id, base_name: name }),
    };
  },
});

const AgentSubscription = z
  .object({
    id: z.uuid(),
    agent_id: z.string(),
    name: z.string(),
    slug: z.string(),
    icon: z.string().nullable(),
    price: z.int().nullable().describe("Cents per month"),
    purchase_type: z.literal("monthly"),
    subscription_id: z.string(),
    purchase_date: Moment,
    expires_at: Moment.nullable(),
    is_active: z.boolean(),
    cancel_at_period_end: z.boolean(),
    current_period_end: Moment,
    cancel_at: Moment.nullable(),
  })
  .meta({ id: "AgentSubscription" });

export const listSubscriptions = endpoint({
  operationId: "listAgentSubscriptions",
  ...shared,
  method: "get",
  path: "/api/marketplace/subscriptions",
  summary: "List subscriptions to agents",
  description: "Agents that the active team pays for every month, newest first; also those that are over.",
  refusals: [403, 404],
  response: { status: 200, schema: z.array(AgentSubscription) },
  async handler({ services, caller }) {
    const rows = await sales.listSubscriptions(services, caller);
    return rows.map(({ subscription, agent, row }) => ({
      id: subscription.id,
      agent_id: agent.id,
      name: agent.name,
      slug: agent.slug,
      icon: agent.icon,
      price: subscription.amountCents,
      purchase_type: "monthly" as const,
      subscription_id: subscription.subscriptionId,
      purchase_date: subscription.createdAt.toISOString(),
      expires_at: row?.expiresAt?.toISOString() ?? null,
      is_active: row !== null && row.endedAt === null && row.isActive && !isPast(row.expiresAt),
      cancel_at_period_end: subscription.cancelAt !== null,
      current_period_end: subscription.periodEnd.toISOString(),
      cancel_at: subscription.cancelAt?.toISOString() ?? null,
    }));
  },
});

const change = {
  ...shared,
  method: "post",
  params: z.object({ subscription: text({ min: 1, max: 255 }).describe("Its id at the payment provider") }),
  refusals: [400, 403, 404, 502, 503],
  response: {
    status: 200,
    schema: z
      .object({
        success: z.literal(true),
        message: z.string(),
        cancel_at: z.int().optional().describe("When it ends, in seconds since 1970; absent when it goes on"),
      })
      .meta({ id: "ChangedAgentSubscription" }),
  },
} as const;

export const cancelSubscription = endpoint({
  operationId: "cancelAgentSubscription",
  ...change,
  path: "/api/marketplace/subscriptions/:subscription/cancel",
  summary: "Cancel a subscription to an agent",
  description: "The active team keeps the agent until the end of the month that is paid.",
  async handler({ services, caller, client, params }) {
    const wish = { subscriptionId: params.subscription, client };
    const { agentName, cancelAt } = await sales.cancelAgentSubscription(services, caller, wish);
    return {
      success: true as const,
      message: `The subscription to ${agentName} ends with the month that is paid`,
      ...(cancelAt && { cancel_at: Math.floor(cancelAt.getTime() / 1000) }),
    };
  },
});

export const renewSubscription = endpoint({
  operationId: "renewAgentSubscription",
  ...change,
  path: "/api/marketplace/subscriptions/:subscription/renew",
  summary: "Renew a subscription to an agent",
  description: "Takes back that the active team's subscription to an agent ends with its month.",
  async handler({ services, caller, client, params }) {
    const wish = { subscriptionId: params.subscription, client };
    const { agentName } = await sales.renewAgentSubscription(services, caller, wish);
    return { success: true as const, message: `The subscription to ${agentName} goes on` };
  },
});
