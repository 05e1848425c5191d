import { z } from "zod";
import { connectAccount, readEarnings } from "#src/domain/billing/payouts/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { returnOriginOf } from "#src/http/return-origin.ts";
import { Moment } from "#src/http/schemas.ts";
import { ProviderPage } from "./payment-page.ts";
import { inDollars, Span } from "./span.ts";

export const connect = endpoint({
  operationId: "connectPayoutAccount",
  method: "post",
  path: "/api/billing/connect",
  summary: "Connect an account for payouts",
  description:
    "Returns the address of a page on which the caller introduces themself to the payment provider, in order to be paid for what they publish; valid for minutes.",
  tag: "Billing",
  access: { user: "any" },
  refusals: [403, 404, 502, 503],
  response: { status: 200, schema: ProviderPage },
  async handler({ services, caller, request }) {
    await requireTeam(services, caller, "billing.manage");
    const returnOrigin = returnOriginOf(request, services.config);
    return connectAccount(services, { userId: caller.userId, returnOrigin });
  },
});

const cents = z.int();

export const earnings = endpoint({
  operationId: "getEarnings",
  method: "get",
  path: "/api/billing/earnings",
  summary: "Get earnings",
  description: "The caller's shares of sales, less what went back to the payers. This month by default.",
  tag: "Billing",
  access: { user: "any" },
  query: Span,
  response: {
    status: 200,
    schema: z.object({
      total_revenue_cents: cents,
      total_revenue_usd: z.number(),
      pending_revenue_cents: cents.describe("Waits for an account that may receive it"),
      pending_revenue_usd: z.number(),
      paid_revenue_cents: cents,
      paid_revenue_usd: z.number(),
      total_requests: z.int().describe("Payments"),
      by_agent: z.record(
        z.string(),
        z.object({ requests: z.int().describe("Payments"), revenue: cents.describe("Cents") }),
      ),
      period_start: Moment,
      period_end: Moment,
    }),
  },
  async handler({ services, caller, query: { start_date: start, end_date: end } }) {
    await requireTeam(services, caller, "billing.view");
    const { from, to, total, pending, paid, sales, byAgent } = await readEarnings(services, caller.userId, {
      from: start,
      to: end,
    });
    return {
      total_revenue_cents: total,
      total_revenue_usd: inDollars(total),
      pending_revenue_cents: pending,
      pending_revenue_usd: inDollars(pending),
      paid_revenue_cents: paid,
      paid_revenue_usd: inDollars(paid),
      total_requests: sales,
      by_agent: Object.fromEntries(
        Object.entries(byAgent).map(([id, item]) => [id, { requests: item.sales, revenue: item.revenue }]),
      ),
      period_start: from.toISOString(),
      period_end: to.toISOString(),
    };
  },
});
