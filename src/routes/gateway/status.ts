import { z } from "zod";
import { gatewayStatus } from "#src/domain/messaging/gateway/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";

export const status = endpoint({
  operationId: "getGatewayStatus",
  method: "get",
  path: "/api/gateway/status",
  tag: "Gateway",
  summary: "Get the gateway's status",
  description: "Of the shard that GATEWAY_SHARD names.",
  access: { user: "any" },
  response: {
    status: 200,
    schema: z.object({
      status: z.enum(["online", "offline"]),
      shard: z.int(),
      shards: z.int().describe("Number of shards"),
      num_shards: z.int().describe("As `shards`"),
      adapters: z.int().describe("Channels that the shard keeps connected, or tries to"),
      connected: z.int().describe("Channels that are connected"),
      active_sessions: z.int().describe("The caller's sessions that had a message lately"),
      heartbeat: Moment.nullable().describe("As `last_sync`"),
      last_sync: Moment.nullable().describe("When the shard last compared its connections with the channels"),
      started_at: Moment.nullable().describe("Since when it has done so without a pause"),
      notice: z
        .string()
        .nullable()
        .describe("What does not work although the gateway runs: without Redis no reply is sent"),
    }),
  },
  handler: async ({ services, caller }) => {
    const found = await gatewayStatus(services, caller);
    return {
      status: found.status,
      shard: found.shard,
      shards: found.numShards,
      num_shards: found.numShards,
      adapters: found.adapters,
      connected: found.connected,
      active_sessions: found.activeSessions,
      heartbeat: found.lastSync?.toISOString() ?? null,
      last_sync: found.lastSync?.toISOString() ?? null,
      started_at: found.startedAt?.toISOString() ?? null,
      notice: found.notice,
    };
  },
});
