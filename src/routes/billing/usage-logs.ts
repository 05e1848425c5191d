import { z } from "zod";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { pageOfCalls } from "#src/domain/metering/usage/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { inDollars, Span } from "./span.ts";

export const usageLogs = endpoint({
  operationId: "listModelCalls",
  method: "get",
  path: "/api/billing/usage/logs",
  summary: "List model calls",
  description: "Of the active team, newest first.",
  tag: "Billing",
  access: { user: "any" },
  query: Span.extend({
    limit: z.coerce.number().int().min(1).max(500).default(100),
    offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
  }),
  response: {
    status: 200,
    schema: z.object({
      logs: z.array(
        z.object({
          id: z.uuid(),
          model: z.string(),
          purpose: z.enum(["agent", "compaction", "title", "proxy"]),
          tokens_input: z.int(),
          tokens_output: z.int(),
          tokens_cache_read: z
            .int()
            .describe("Part of `tokens_input` that was read from the provider's cache"),
          tokens_cache_write: z
            .int()
            .describe("Part of `tokens_input` that was written to the provider's cache"),
          cost_total_cents: z.int(),
          cost_total_usd: z.number(),
          credits_deducted: z.int(),
          agent_id: z.string().nullable(),
          project_id: z.uuid().nullable(),
          is_byok: z.boolean().describe("Whether the call used the user's own key, which costs no credits"),
          billed_status: z.enum(["pending", "credited", "exempt", "invoiced", "paid"]),
          created_at: Moment,
        }),
      ),
    }),
  },
  async handler({ services, caller, query: { start_date: from, end_date: to, ...page } }) {
    const { teamId } = await requireTeam(services, caller, "billing.usage");
    const calls = await pageOfCalls(services.db, { teamId, from, to }, page);
    return {
      logs: calls.map((call) => ({
        id: call.id,
        model: call.model,
        purpose: call.purpose,
        tokens_input: call.inputTokens,
        tokens_output: call.outputTokens,
        tokens_cache_read: call.cachedInputTokens,
        tokens_cache_write: call.cacheWriteTokens,
        cost_total_cents: call.costTotal,
        cost_total_usd: inDollars(call.costTotal),
        credits_deducted: call.creditsDeducted,
        agent_id: call.agentId,
        project_id: call.projectId,
        is_byok: call.isByok,
        billed_status: call.billedStatus,
        created_at: call.createdAt.toISOString(),
      })),
    };
  },
});
