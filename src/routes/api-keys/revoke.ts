import { z } from "zod";
import { revokeApiKey } from "#src/domain/programs/api-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const revokeKey = endpoint({
  operationId: "revokeApiKey",
  method: "delete",
  path: "/api/external-api-keys/:key",
  aliases: ["/api/external/keys/:key"],
  summary: "Revoke an API key",
  description: "Takes effect at once and is final. Tasks that the key started are stopped.",
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
