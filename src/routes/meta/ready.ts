import { z } from "zod";
import { databaseAnswers } from "#src/domain/operations/health/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

const Part = z.enum(["ok", "unavailable", "off"]);

const Ready = z.object({
  status: z.enum(["ready", "not_ready"]),
  service: z.literal("agent-workspace"),
  database: Part,
  queue: Part,
  redis: Part,
});

export const ready = endpoint({
  operationId: "checkReadiness",
  method: "get",
  path: "/ready",
  tag: "Service",
  summary: "Check readiness",
  description: "Checks the database, the queue and Redis. 503 when one of them does not respond.",
  access: "public",
  response: { status: 200, orStatus: 503, schema: Ready },
  handler: async ({ services }) => {
    const [database, queue, redis] = await Promise.all([
      databaseAnswers(services.db),
      services.queue.answers(),
      services.redisState(),
    ]);
    const isReady = database && queue && redis !== "unavailable";
    const body = {
      status: isReady ? ("ready" as const) : ("not_ready" as const),
      service: "agent-workspace" as const,
      database: database ? ("ok" as const) : ("unavailable" as const),
      queue: queue ? ("ok" as const) : ("unavailable" as const),
      redis: redis === "connected" ? ("ok" as const) : redis,
    };
    return isReady ? body : Response.json(body, { status: 503 });
  },
});
