import { z } from "zod";
import { countCalls } from "#src/domain/operations/limits/index.ts";
import { oauthRefusal, registerClient } from "#src/domain/programs/connected-apps/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { networkOf } from "#src/lib/ip-address.ts";
import { AppError } from "#src/lib/errors.ts";

/** Most addresses of one client. */
const MAX_URIS = 20;

const NOT_OPEN = "Clients cannot register here: use an API key, or a client with a metadata document";

export const register = endpoint({
  operationId: "registerMcpClient",
  method: "post",
  path: "/oauth/register",
  tag: "MCP",
  summary: "Register an MCP client",
  description:
    "Dynamic registration (RFC 7591), without credentials. Every client is public: it gets no secret, and proves with PKCE that a code is its own. Addresses for the return are `https`, `http` to the visitor's own machine, or the scheme of an app. Nothing is stored: the id is what the client said, signed. Other fields are ignored.",
  errorStyle: "oauth",
  access: "visitors",
  body: z.object({
    redirect_uris: z
      .array(text({ min: 1, max: 2_000 }))
      .max(MAX_URIS)
      .nullish(),
    client_name: text({ max: 100, trim: true }).nullish().describe("As the person sees it"),
    grant_types: z
      .array(text({ max: 100 }))
      .max(20)
      .nullish(),
    response_types: z
      .array(text({ max: 100 }))
      .max(20)
      .nullish(),
    application_type: text({ max: 20 }).nullish(),
  }),
  example: { client_name: "Claude Code", redirect_uris: ["http://localhost:1455/callback"] },
  refusals: [400, 403],
  response: {
    status: 201,
    schema: z
      .object({
        client_id: z.string(),
        client_id_issued_at: z.int().describe("Seconds since 1970"),
        client_name: z.string(),
        redirect_uris: z.array(z.string()),
        grant_types: z.array(z.string()),
        response_types: z.array(z.string()),
        token_endpoint_auth_method: z.literal("none"),
        application_type: z.string().optional(),
      })
      .meta({ id: "McpClient" }),
  },
  async handler({ services, body, client }) {
    if (!services.config.MCP_CLIENT_REGISTRATION) {
      throw new AppError("forbidden", NOT_OPEN, { extra: { error: "access_denied" } });
    }
    await countCalls(services, { rule: "registration", id: networkOf(client.address) });
    const uris = body.redirect_uris ?? [];
    if (uris.length === 0) throw oauthRefusal("invalid_redirect_uri", "redirect_uris: name at least one");
    const { clientId, name, redirectUris } = registerClient(services, {
      name: body.client_name || "MCP client",
      redirectUris: uris,
    });
    return new Reply(
      {
        client_id: clientId,
        client_id_issued_at: Math.floor(Date.now() / 1_000),
        client_name: name,
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none" as const,
        ...(body.application_type && { application_type: body.application_type }),
      },
      { "Cache-Control": "no-store" },
    );
  },
});
