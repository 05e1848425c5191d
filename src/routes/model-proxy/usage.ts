import { z } from "zod";
import { readBalance } from "#src/domain/metering/credits/index.ts";
import { readUsage } from "#src/domain/metering/usage/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

const SPAN_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_MODELS = 20;
const credits = z.int().min(0);

export const usage = endpoint({
  operationId: "getKeyUsage",
  method: "get",
  path: "/api/v1/usage",
  summary: "Get key usage",
  description:
    "The credits of the key's team, and the cost of the key owner's model calls in that team in the last 30 days.",
  tag: "Models for programs",
  access: { key: "usage.read" },
  errorStyle: "openai",
  response: {
    status: 200,
    schema: z.object({
      credits: z.object({
        daily: credits,
        bundled: credits,
        bonus: credits,
        purchased: credits,
        total: credits.describe(
          "Credits not charged yet, including those that current model calls have reserved",
        ),
      }),
      usage_30d: z.object({
        total_requests: z.int(),
        total_cost_cents: z.int(),
        total_tokens_in: z.int(),
        total_tokens_out: z.int(),
        by_model: z
          .array(z.object({ model: z.string(), requests: z.int(), cost_cents: z.int() }))
          .describe(`The ${MAX_MODELS} most expensive models`),
      }),
    }),
  },
  async handler({ services, caller: { userId, teamId } }) {
    const from = new Date(Date.now() - SPAN_MS);
    const [balance, { total, byModel }] = await Promise.all([
      readBalance(services, teamId),
      readUsage(services, { teamId, userId, from, to: undefined }),
    ]);
    return {
      credits: {
        daily: balance.daily,
        bundled: balance.bundled,
        bonus: balance.bonus,
        purchased: balance.purchased,
        total: balance.total,
      },
      usage_30d: {
        total_requests: total.requests,
        total_cost_cents: total.costCents,
        total_tokens_in: total.inputTokens,
        total_tokens_out: total.outputTokens,
        by_model: [...byModel].slice(0, MAX_MODELS).map(([model, { requests, costCents }]) => ({
          model,
          requests,
          cost_cents: costCents,
        })),
      },
    };
  },
});
