import { z } from "zod";
import { transactionsOfTeam } from "#src/domain/billing/checkouts/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { PageOfRows } from "./page-of-rows.ts";
import { inDollars } from "./span.ts";

const Status = z.enum(["completed", "partially_refunded", "refunded"]);
type Status = z.infer<typeof Status>;

export const transactions = endpoint({
  operationId: "listTransactions",
  method: "get",
  path: "/api/billing/transactions",
  summary: "List transactions",
  description: "Money that the active team paid, and that it got back, newest first.",
  tag: "Billing",
  access: { user: "any" },
  query: PageOfRows,
  response: {
    status: 200,
    schema: z.object({
      transactions: z.array(
        z.object({
          id: z.uuid(),
          type: z.enum([
            "credit_purchase",
            "subscription",
            "one_time",
            "deploy_purchase",
            "refund",
            "restored",
          ]),
          amount_cents: z.int().describe("Negative when the money went back"),
          amount_usd: z.number(),
          status: Status,
          agent_id: z.string().nullable(),
          base_id: z.uuid().nullable(),
          created_at: Moment,
        }),
      ),
    }),
  },
  async handler({ services, caller, query }) {
    const { teamId } = await requireTeam(services, caller, "billing.view");
    const rows = await transactionsOfTeam(services.db, teamId, query);
    return {
      transactions: rows.map((row) => ({
        id: row.id,
        type: row.type,
        amount_cents: row.amountCents,
        amount_usd: inDollars(row.amountCents),
        status: statusOf(row),
        agent_id: row.agentId,
        base_id: row.baseId,
        created_at: row.createdAt.toISOString(),
      })),
    };
  },
});

function statusOf({ amountCents, reversedCents }: { amountCents: number; reversedCents: number }): Status {
  if (reversedCents <= 0) return "completed";
  return reversedCents < amountCents ? "partially_refunded" : "refunded";
}
