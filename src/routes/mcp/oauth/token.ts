import { z } from "zod";
import {
  exchangeCode,
  oauthRefusal,
  refreshTokens,
  type IssuedTokens,
} from "#src/domain/programs/connected-apps/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";

/** Longest parameter in characters; a client's id has its addresses in it. */
const MAX = 4_000;

const parameter = () => text({ max: MAX }).nullish();

export const token = endpoint({
  operationId: "getMcpToken",
  method: "post",
  path: "/oauth/token",
  tag: "MCP",
  summary: "Get a connected app's tokens",
  description:
    "Exchanges a code with its PKCE verifier, or a refresh token (OAuth 2.1). Both are single use: presenting one again ends the access. A refusal has RFC 6749's `error`. Reads and sets no cookie.",
  errorStyle: "oauth",
  access: "visitors",
  // All optional: what is missing is refused in the words of OAuth.
  body: z.object({
    grant_type: parameter().describe("`authorization_code` or `refresh_token`"),
    client_id: parameter(),
    code: parameter(),
    code_verifier: parameter(),
    redirect_uri: parameter(),
    refresh_token: parameter(),
    scope: parameter().describe(
      "At a refresh: no more than was allowed. The tokens keep all that was allowed",
    ),
    resource: parameter().describe("Address of the MCP server"),
  }),
  example: {
    grant_type: "authorization_code",
    client_id: "mcp_eyJuYW1l…",
    code: "4b8c…",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  },
  bodyTypes: ["form", "json"],
  refusals: [400],
  response: {
    status: 200,
    schema: z
      .object({
        access_token: z.string().describe("Good at the MCP server alone"),
        token_type: z.literal("Bearer"),
        expires_in: z.int().describe("Seconds"),
        refresh_token: z.string().describe("Single use"),
        scope: z.string().describe("What the person allowed, separated by spaces"),
      })
      .meta({ id: "McpTokens" }),
  },
  async handler({ services, body, client }) {
    const clientId = requireParameter("client_id", body.client_id);
    const resource = body.resource || undefined;
    if (body.grant_type === "authorization_code") {
      const code = requireParameter("code", body.code);
      const codeVerifier = requireParameter("code_verifier", body.code_verifier);
      const redirectUri = body.redirect_uri || undefined;
      const input = { code, clientId, redirectUri, codeVerifier, resource };
      return answer(await exchangeCode(services, input, client));
    }
    if (body.grant_type === "refresh_token") {
      const refreshToken = requireParameter("refresh_token", body.refresh_token);
      const input = { refreshToken, clientId, scope: body.scope || undefined, resource };
      return answer(await refreshTokens(services, input, client));
    }
    throw oauthRefusal("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  },
});

function requireParameter(name: string, value: string | null | undefined): string {
  if (!value) throw oauthRefusal("invalid_request", `${name} is required`);
  return value;
}

function answer({ accessToken, expiresIn, refreshToken, scopes }: IssuedTokens) {
  return new Reply(
    {
      access_token: accessToken,
      token_type: "Bearer" as const,
      expires_in: expiresIn,
      refresh_token: refreshToken,
      scope: scopes.join(" "),
    },
    { "Cache-Control": "no-store" },
  );
}
