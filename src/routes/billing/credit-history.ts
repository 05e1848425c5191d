import { z } from "zod";
import { purchasesOfTeam } from "#src/domain/billing/checkouts/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { PageOfRows } from "./page-of-rows.ts";
import { inDollars } from "./span.ts";

/** What clients call the state of a purchase. */
const STATUS = {
  open: "pending",
  pending: "pending",
  paid: "completed",
  refunded: "refunded",
  failed: "failed",
  expired: "failed",
} as const;

export const creditHistory = endpoint({
  operationId: "listCreditPurchases",
  method: "get",
  path: "/api/billing/credits/history",
  summary: "List credit purchases",
  description: "Of the active team, newest first.",
  tag: "Billing",
  access: { user: "any" },
  query: PageOfRows,
  response: {
    status: 200,
    schema: z.object({
      purchases: z.array(
        z.object({
          id: z.uuid(),
          amount_cents: z.int(),
          amount_usd: z.number(),
          credits_amount: z.int(),
          status: z.enum(["pending", "completed", "failed", "refunded"]),
          created_at: Moment,
          completed_at: Moment.nullable(),
        }),
      ),
    }),
  },
  async handler({ services, caller, query }) {
    const { teamId } = await requireTeam(services, caller, "billing.view");
    const purchases = await purchasesOfTeam(services.db, teamId, query);
    return {
      purchases: purchases.map(({ id, amountCents, credits, status, createdAt, settledAt }) => ({
        id,
        amount_cents: amountCents,
        amount_usd: inDollars(amountCents),
        credits_amount: credits,
        status: STATUS[status],
        created_at: createdAt.toISOString(),
        completed_at: STATUS[status] === "pending" ? null : (settledAt?.toISOString() ?? null),
      })),
    };
  },
});
