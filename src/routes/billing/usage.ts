import { z } from "zod";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { readUsage, type Sums } from "#src/domain/metering/usage/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { inDollars, Span } from "./span.ts";

const Part = z.object({
  cost_cents: z.int(),
  cost_total: z.int().describe("As `cost_cents`"),
  tokens_input: z.int(),
  tokens_output: z.int(),
  tokens_cache_read: z.int().describe("Part of `tokens_input` that was read from the provider's cache"),
  tokens_cache_write: z.int().describe("Part of `tokens_input` that was written to the provider's cache"),
  requests: z.int(),
});

export const usage = endpoint({
  operationId: "getUsage",
  method: "get",
  path: "/api/billing/usage",
  summary: "Get usage",
  description: "The cost of the active team's model calls, this month unless dates are given.",
  tag: "Billing",
  access: { user: "any" },
  query: Span,
  response: {
    status: 200,
    schema: z.object({
      total_cost_cents: z.int(),
      total_cost_usd: z.number(),
      total_tokens_input: z.int(),
      total_tokens_output: z.int(),
      total_tokens_cache_read: z.int(),
      total_tokens_cache_write: z.int(),
      total_requests: z.int(),
      by_model: z.record(z.string(), Part),
      by_agent: z.record(z.string(), Part).describe("By agent id; `default` for calls without an agent"),
      period_start: Moment,
      period_end: Moment,
    }),
  },
  async handler({ services, caller, query }) {
    const { teamId } = await requireTeam(services, caller, "billing.usage");
    const to = query.end_date ?? new Date();
    const from = query.start_date ?? new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth()));
    const { total, byModel, byAgent } = await readUsage(services, { teamId, from, to });
    return {
      total_cost_cents: total.costCents,
      total_cost_usd: inDollars(total.costCents),
      total_tokens_input: total.inputTokens,
      total_tokens_output: total.outputTokens,
      total_tokens_cache_read: total.cachedInputTokens,
      total_tokens_cache_write: total.cacheWriteTokens,
      total_requests: total.requests,
      by_model: Object.fromEntries([...byModel].map(([model, sums]) => [model, describePart(sums)])),
      by_agent: Object.fromEntries([...byAgent].map(([id, sums]) => [id ?? "default", describePart(sums)])),
      period_start: from.toISOString(),
      period_end: to.toISOString(),
    };
  },
});

function describePart(sums: Sums): z.output<typeof Part> {
  return {
    cost_cents: sums.costCents,
    cost_total: sums.costCents,
    tokens_input: sums.inputTokens,
    tokens_output: sums.outputTokens,
    tokens_cache_read: sums.cachedInputTokens,
    tokens_cache_write: sums.cacheWriteTokens,
    requests: sums.requests,
  };
}
