import { z } from "zod";
import { cancelPlan, openPortal, readPlan, renewPlan, subscribe } from "#src/domain/billing/plans/index.ts";
import { INTERVALS, PAID_TIERS } from "#src/domain/billing/subscriptions/index.ts";
import { tierFacts } from "#src/domain/metering/tiers/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { returnOriginOf } from "#src/http/return-origin.ts";
import { Moment, Succeeded } from "#src/http/schemas.ts";
import { oneOf } from "./one-of.ts";
import { PaymentPage, ProviderPage } from "./payment-page.ts";

const credits = z.int().min(0);

export const subscriptionOfTeam = endpoint({
  operationId: "getSubscription",
  method: "get",
  path: "/api/billing/subscription",
  summary: "Get the subscription",
  description: "The active team's tier, what it allows, and the subscription that pays for it.",
  tag: "Billing",
  access: { user: "any" },
  response: {
    status: 200,
    schema: z.object({
      tier: z.enum(["free", "basic", "pro", "ultra"]),
      is_active: z.boolean().describe("Whether the tier is a paid one"),
      subscription_id: z.string().nullable(),
      status: z
        .string()
        .nullable()
        .describe("As the payment provider calls it, such as `active` or `past_due`"),
      stripe_customer_id: z.string().nullable(),
      max_projects: z.int().describe("999999 is no limit"),
      max_deploys: z.int().describe("Those of the tier, and those bought one by one"),
      current_period_start: Moment.nullable(),
      current_period_end: Moment.nullable(),
      cancel_at_period_end: z.boolean(),
      cancel_at: Moment.nullable(),
      bundled_credits: credits,
      purchased_credits: credits,
      signup_bonus_credits: credits,
      daily_credits: credits,
      total_credits: credits,
      monthly_allowance: credits,
      credits_reset_date: Moment.nullable(),
      byok_enabled: z.boolean().describe("Whether members may use their own model keys"),
      support_tier: z.enum(["community", "email", "priority"]),
    }),
  },
  async handler({ services, caller }) {
    const { teamId } = await requireTeam(services, caller, "billing.view");
    const { tier, deploySlots, customerId, subscription, balance } = await readPlan(services, teamId);
    const facts = tierFacts(services.config, services.modelSettings)[tier];
    return {
      tier,
      is_active: tier !== "free",
      subscription_id: subscription?.subscriptionId ?? null,
      status: subscription?.status ?? null,
      stripe_customer_id: customerId,
      max_projects: facts.maxProjects,
      max_deploys: facts.maxDeploys + deploySlots,
      current_period_start: subscription?.periodStart.toISOString() ?? null,
      current_period_end: subscription?.periodEnd.toISOString() ?? null,
      cancel_at_period_end: subscription?.cancelAt !== null && subscription?.cancelAt !== undefined,
      cancel_at: subscription?.cancelAt?.toISOString() ?? null,
      bundled_credits: balance.bundled,
      purchased_credits: balance.purchased,
      signup_bonus_credits: balance.bonus,
      daily_credits: balance.daily,
      total_credits: balance.total,
      monthly_allowance: balance.allowance,
      credits_reset_date: balance.resetAt?.toISOString() ?? null,
      byok_enabled: facts.isByokEnabled,
      support_tier: facts.support,
    };
  },
});

export const subscribeTeam = endpoint({
  operationId: "subscribe",
  method: "post",
  path: "/api/billing/subscribe",
  summary: "Subscribe to a tier",
  description:
    "Opens a page on which the active team subscribes. Refused while it has a subscription, which is changed in the portal.",
  tag: "Billing",
  access: { user: "any" },
  example: { tier: "pro" },
  body: z.object({
    tier: z.string().default("pro").describe("basic, pro or ultra"),
    billing_interval: z.string().default("monthly").describe("monthly or annual"),
  }),
  refusals: [400, 403, 404, 409, 502, 503],
  response: {
    status: 200,
    schema: PaymentPage,
  },
  async handler({ services, caller, body, request }) {
    const { teamId } = await requireTeam(services, caller, "billing.manage");
    const buyer = { userId: caller.userId, teamId, returnOrigin: returnOriginOf(request, services.config) };
    const wish = {
      tier: oneOf(PAID_TIERS, body.tier, "tier"),
      interval: oneOf(INTERVALS, body.billing_interval, "billing_interval"),
    };
    const { sessionId, url } = await subscribe(services, buyer, wish);
    return { session_id: sessionId, url };
  },
});

const Done = { status: 200, schema: Succeeded } as const;

export const cancelSubscription = endpoint({
  operationId: "cancelSubscription",
  method: "post",
  path: "/api/billing/cancel",
  summary: "Cancel the subscription",
  description:
    "Ends the active team's subscription with its period, or at once; then the team is in the free tier.",
  tag: "Billing",
  access: { user: "any" },
  query: z.object({ at_period_end: z.stringbool().default(true) }),
  refusals: [400, 403, 404, 502, 503],
  response: Done,
  async handler({ services, caller, client, query: { at_period_end: atPeriodEnd } }) {
    const { teamId } = await requireTeam(services, caller, "billing.manage");
    await cancelPlan(services, { userId: caller.userId, teamId, client }, { atPeriodEnd });
    const message = atPeriodEnd
      ? "The subscription ends with the current period"
      : "The subscription has ended";
    return { success: true as const, message };
  },
});

export const renewSubscription = endpoint({
  operationId: "renewSubscription",
  method: "post",
  path: "/api/billing/renew",
  summary: "Renew the subscription",
  description: "Takes back that the active team's subscription ends with its period.",
  tag: "Billing",
  access: { user: "any" },
  refusals: [400, 403, 404, 502, 503],
  response: Done,
  async handler({ services, caller, client }) {
    const { teamId } = await requireTeam(services, caller, "billing.manage");
    await renewPlan(services, { userId: caller.userId, teamId, client });
    return { success: true as const, message: "The subscription goes on" };
  },
});

export const portal = endpoint({
  operationId: "getBillingPortal",
  method: "get",
  path: "/api/billing/portal",
  summary: "Open the billing portal",
  description:
    "Returns the address of a page on which the active team changes its plan and its card; valid for minutes.",
  tag: "Billing",
  access: { user: "any" },
  refusals: [400, 403, 404, 502, 503],
  response: { status: 200, schema: ProviderPage },
  async handler({ services, caller, request }) {
    const { teamId } = await requireTeam(services, caller, "billing.manage");
    return openPortal(services, { teamId, returnOrigin: returnOriginOf(request, services.config) });
  },
});
