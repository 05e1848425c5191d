import { z } from "zod";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { cookieOf, noOauthStateCookie, oauthStateCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { prefersHtml } from "#src/http/prefers-html.ts";
import { onceMore, parametersOf, personOf } from "#src/http/return-from-provider.ts";
import { AppError } from "#src/lib/errors.ts";
import { describeServer, Server, ServerParams, SERVERS } from "./server.ts";

const COOKIE = "mcp_oauth_state";

export const authorizeMcpServer = endpoint({
  operationId: "authorizeMcpServer",
  method: "post",
  path: `${SERVERS}/:mcp_server/authorize`,
  summary: "Begin an MCP server's connection",
  description:
    "Returns the address of the server's authorization server, to which to send the browser of the same session. The browser comes back to `/api/mcp/oauth/callback`, and then the server has tokens.",
  tag: "MCP servers",
  access: { user: "any" },
  params: ServerParams,
  refusals: [400, 404, 409, 503],
  response: {
    status: 200,
    schema: z
      .object({
        authorization_url: z.url(),
        host: z.string().describe("Of the authorization server, to be shown before the visit"),
        expires_in: z.int().describe("How long the visit may take, in seconds"),
      })
      .meta({ id: "McpAuthorization" }),
  },
  async handler({ services, caller, params }) {
    const begun = await mcp.beginAuthorization(services, caller, params.mcp_server);
    const { value, maxAgeSeconds } = begun.cookie;
    return new Reply(
      { authorization_url: begun.authorizationUrl, host: begun.host, expires_in: maxAgeSeconds },
      {
        "Set-Cookie": oauthStateCookie(services.config, value, maxAgeSeconds, COOKIE),
        "Cache-Control": "no-store",
      },
    );
  },
});

export const disconnectMcpServer = endpoint({
  operationId: "disconnectMcpServer",
  method: "post",
  path: `${SERVERS}/:mcp_server/disconnect`,
  summary: "Disconnect an MCP server",
  description:
    "Forgets its tokens, and revokes them where that is possible. The server stays, and can be connected again.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.manage" },
  params: ServerParams,
  refusals: [400],
  response: { status: 200, schema: Server },
  async handler({ services, caller, params, client }) {
    const server = await mcp.disconnectServer(services, caller, params.mcp_server, client);
    return describeServer(await mcp.showServer(services, server));
  },
});

export const describeMcpClient = endpoint({
  operationId: "describeMcpClient",
  method: "get",
  path: "/api/mcp/oauth/client",
  summary: "Get the client's metadata document",
  description:
    "This service as a client of authorization servers, which read it here (client ID metadata document).",
  tag: "MCP servers",
  access: "public",
  response: { status: 200, schema: z.record(z.string(), z.unknown()) },
  async handler({ services }) {
    return new Reply(services.mcpOAuth.clientDocument, { "Cache-Control": "public, max-age=3600" });
  },
});

/** For the API reference only. The handler parses the raw query, which may come from an attacker. */
const given = z.string().optional().catch(undefined);

export const mcpCallback = endpoint({
  operationId: "finishMcpServerConnection",
  method: "get",
  path: "/api/mcp/oauth/callback",
  summary: "Finish an MCP server's connection",
  description:
    "The authorization server sends the browser back here. The caller must still have the session that began it. Returns a page when the client's `Accept` prefers HTML.",
  tag: "MCP servers",
  access: "public",
  query: z.object({ state: given, code: given, iss: given, error: given }),
  refusals: [400],
  response: {
    status: 200,
    schema: z.object({ message: z.string(), server: Server }).meta({ id: "ConnectedMcpServer" }),
  },
  async handler({ services, request, client }) {
    const headers = {
      "Set-Cookie": noOauthStateCookie(services.config, COOKIE),
      "Cache-Control": "no-store",
      Vary: "Accept",
    };
    const wantsPage = prefersHtml(request);
    const again = wantsPage ? onceMore(services.config, request, TITLE) : undefined;
    if (again) return again;
    try {
      const { server, error } = await mcp.finishAuthorization(services, {
        parameters: parametersOf(request),
        visitor: await personOf(services, request),
        cookie: cookieOf(request, services.config, COOKIE),
        client,
      });
      const message =
        error === null
          ? `${server.name} is connected`
          : `${server.name} was given a token, but cannot be used yet. ${error}`;
      if (wantsPage) return page(200, message, headers);
      return new Reply({ message, server: describeServer(await mcp.showServer(services, server)) }, headers);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
      if (wantsPage) return page(400, REASONS[error.message] ?? error.message, headers);
      throw new AppError("invalid_input", error.message, { headers });
    }
  },
});

const TITLE = "MCP server";

/** Sentences for people, by the codes of refused states. */
const REASONS: Readonly<Record<string, string>> = {
  INVALID_STATE_TOKEN:
    "This link is not valid in this browser, was used already, or you are signed in to a different account: sign in and begin again",
  STATE_TOKEN_EXPIRED: "This took too long: begin again",
};

/** A page with a sentence of the service, which may name a server. */
function page(status: number, sentence: string, headers: Readonly<Record<string, string>>): Response {
  const text = sentence.replaceAll(/[&<>"]/gu, (sign) => `&#${sign.codePointAt(0)};`);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${TITLE}</title><p>${text}. You can close this window.</p></html>`;
  return new Response(html, { status, headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } });
}
