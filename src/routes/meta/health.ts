import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";

export const health = endpoint({
  operationId: "checkLiveness",
  method: "get",
  path: "/health",
  tag: "Service",
  summary: "Check liveness",
  description: "Always returns 200.",
  access: "public",
  response: {
    status: 200,
    schema: z.object({
      status: z.literal("healthy"),
      service: z.literal("agent-workspace"),
      redis: z.enum(["connected", "unavailable", "off"]),
    }),
  },
  handler: async ({ services }) => ({
    status: "healthy" as const,
    service: "agent-workspace" as const,
    redis: await services.redisState(),
  }),
});
