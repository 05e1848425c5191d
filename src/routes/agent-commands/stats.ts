import { z } from "zod";
import { statsOfRuns } from "#src/domain/workspaces/command-runs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const getCommandStats = endpoint({
  operationId: "getCommandStats",
  method: "get",
  path: "/api/agent/stats",
  summary: "Get command statistics",
  description: "How many commands the caller ran through this API in the last days.",
  tag: "Commands",
  access: { userOrKey: "terminal.access" },
  query: z.object({ days: z.coerce.number().int().min(1).max(30).default(7) }),
  response: {
    status: 200,
    schema: z.object({
      days: z.number().int(),
      total_commands: z.number().int(),
      successful_commands: z.number().int(),
      failed_commands: z.number().int(),
      average_duration_ms: z.number().int(),
      by_risk_level: z.record(z.string(), z.number().int()),
    }),
  },
  async handler({ services, caller, query }) {
    const counts = await statsOfRuns(services, caller, query.days);
    const sum = (of: "runs" | "succeeded" | "durationMs") =>
      counts.reduce((total, each) => total + each[of], 0);
    const total = sum("runs");
    return {
      days: query.days,
      total_commands: total,
      successful_commands: sum("succeeded"),
      failed_commands: total - sum("succeeded"),
      average_duration_ms: total === 0 ? 0 : Math.round(sum("durationMs") / total),
      by_risk_level: Object.fromEntries(counts.map(({ riskLevel, runs }) => [riskLevel, runs])),
    };
  },
});
