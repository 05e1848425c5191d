import { z } from "zod";
import { listGrantableScopes } from "#src/domain/programs/api-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

const Scope = z
  .object({ value: z.string(), label: z.string(), category: z.string() })
  .meta({ id: "ApiKeyScope" });

export const listScopes = endpoint({
  operationId: "listApiKeyScopes",
  method: "get",
  path: "/api/external-api-keys/scopes",
  aliases: ["/api/external/keys/scopes"],
  summary: "List grantable scopes",
  description: "The permissions that the caller may give to a key.",
  tag: "External keys",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Scope) },
  handler: ({ services, caller }) => listGrantableScopes(services, caller),
});
