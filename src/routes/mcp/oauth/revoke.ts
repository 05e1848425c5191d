import { z } from "zod";
import { revokeToken } from "#src/domain/programs/connected-apps/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";

export const revoke = endpoint({
  operationId: "revokeMcpToken",
  method: "post",
  path: "/oauth/revoke",
  tag: "MCP",
  summary: "Revoke a connected app's token",
  description:
    "For the client that holds it (RFC 7009). A refresh token ends the whole access, with the tasks that it started; an access token ends alone. An unknown token is a success, too.",
  errorStyle: "oauth",
  access: "visitors",
  body: z.object({
    token: text({ min: 1, max: 1_000 }),
    token_type_hint: text({ max: 100 }).nullish(),
    client_id: text({ max: 4_000 }).nullish(),
  }),
  example: { token: "tsr_4b8c…", token_type_hint: "refresh_token" },
  bodyTypes: ["form", "json"],
  refusals: [400],
  response: { status: 200, schema: z.object({}) },
  async handler({ services, body, client }) {
    await revokeToken(services, { token: body.token, clientId: body.client_id || undefined }, client);
    return {};
  },
});
