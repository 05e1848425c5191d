import { z } from "zod";
import { revokeApiKey } from "#src/domain/api-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const revokeKey = endpoint({
  method: "delete",
  path: "/api/external-api-keys/:key",
  aliases: ["/api/external/keys/:key"],
  summary: "Revoke a key at once and for good; tasks it started end",
  tag: "External keys",
  access: { user: "any" },
  params: z.object({ key: z.string() }),
  refusals: [400],
  response: { status: 200, schema: z.object({ status: z.literal("deactivated"), key_id: z.uuid() }) },
  async handler({ services, caller, params, client }) {
    await revokeApiKey(services, caller.userId, params.key, client);
    return { status: "deactivated" as const, key_id: params.key };
  },
});
