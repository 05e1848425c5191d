import type { IncomingMessage, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Provider, type Configuration } from "oidc-provider";
import { z } from "zod";
import { serve } from "#local/serve.ts";

/** Seconds for which an access token is valid. */
const TOKEN_SECONDS = 3_600;

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** An MCP server of the official package behind a real authorization server, both on this machine. */
export interface OAuthWorld {
  /** Address of the MCP server. */
  url: string;
  issuer: string;
  /** Grants of token requests that the authorization server was sent. */
  grants: string[];
  /** Tokens that were given to it for revocation. */
  revoked: string[];
  /** Tokens that came with requests to the MCP server. */
  seen: (string | undefined)[];
  /** By path: answers in place of the world. */
  instead: Record<string, Answer>;
  /** The scope that a call of the tool takes. */
  toolScope: string;
  /** Ends all access tokens, as if the authorization server had taken them back. */
  endTokens(): Promise<void>;
  /** What a person's browser does with an authorization URL: sign in and agree, or decline. The address that it comes back to. */
  visit(authorizationUrl: string, decision?: "agrees" | "declines"): Promise<URL>;
  close(): Promise<void>;
}

/** The scopes of the tests' MCP server. */
const SCOPES = "read write";

export async function startOAuthWorld({ registers = true } = {}): Promise<OAuthWorld> {
  let provider: Provider | undefined;
  const live = new Set<string>();
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "guarded", version: "1" });
    server.registerTool("look_up", { description: "Looks up", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: "found" }],
    }));
    return server;
  });

  const door = await serve(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", world.issuer);
    const instead = world.instead[pathname];
    if (instead) return void (await instead(request, response));
    if (pathname === "/.well-known/oauth-protected-resource/mcp") return json(response, 200, metadata());
    if (pathname === "/mcp") return answerMcp(request, response);
    if (!pathname.startsWith("/op/") || !provider) return void response.writeHead(404).end();
    request.url = (request.url ?? "").slice("/op".length);
    if (pathname.startsWith("/op/interaction/")) return decide(provider, request, response);
    Object.assign(request, { originalUrl: `/op${request.url}`, baseUrl: "/op" });
    await provider.callback()(request, response);
  });

  const metadata = () => ({
    resource: world.url,
    authorization_servers: [world.issuer],
    scopes_supported: ["read"],
  });

  async function answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const sent = /^Bearer (\S+)$/u.exec(request.headers.authorization ?? "")?.[1];
    world.seen.push(sent);
    const token = sent === undefined ? undefined : await provider?.AccessToken.find(sent);
    if (!token || token.aud !== world.url) {
      const named = `resource_metadata="${door.url}/.well-known/oauth-protected-resource/mcp"`;
      return void response.writeHead(401, { "www-authenticate": `Bearer ${named}` }).end();
    }
    if (body.includes('"tools/call"') && !(token.scope ?? "").split(" ").includes(world.toolScope)) {
      const wants = `Bearer error="insufficient_scope", scope="${world.toolScope}"`;
      return void response.writeHead(403, { "www-authenticate": wants }).end();
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const asked = new Request(world.url, {
      method: request.method ?? "POST",
      headers,
      ...(body !== "" && { body }),
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  let decision: "agrees" | "declines" = "agrees";
  async function decide(op: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const details = await op.interactionDetails(request, response);
    if (decision === "declines") {
      const result = { error: "access_denied", error_description: "<b>No</b>" };
      return op.interactionFinished(request, response, result);
    }
    if (details.prompt.name === "login") {
      return op.interactionFinished(request, response, { login: { accountId: "ann" } });
    }
    const grant = new op.Grant({ accountId: "ann", clientId: String(details.params["client_id"]) });
    const { scope: asked } = details.params;
    const scope = typeof asked === "string" ? asked : "";
    grant.addOIDCScope(scope);
    grant.addResourceScope(world.url, scope);
    await op.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  const world: OAuthWorld = {
    url: `${door.url}/mcp`,
    issuer: `${door.url}/op`,
    grants: [],
    revoked: [],
    seen: [],
    instead: {},
    toolScope: "read",
    async endTokens() {
      for (const token of live) await (await provider?.AccessToken.find(token))?.destroy();
    },
    async visit(authorizationUrl, decided = "agrees") {
      decision = decided;
      const cookies = new Map<string, string>();
      let url = new URL(authorizationUrl);
      // A visit has a page for the sign-in and one for the agreement; both are left at once.
      for (let hops = 0; hops < 12; hops += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(line) ?? [];
          cookies.set(name, value);
        }
        const location = answer.headers.get("location");
        if (location === null) throw new Error(`The visit ended at ${url}: ${await answer.text()}`);
        url = new URL(location, url);
        if (url.pathname === "/api/mcp/oauth/callback") return url;
      }
      throw new Error("The visit did not end");
    },
    close: () => door.close(),
  };

  const configuration: Configuration = {
    scopes: ["openid", "offline_access"],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registers },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: SCOPES,
          audience: world.url,
          accessTokenTTL: TOKEN_SECONDS,
          accessTokenFormat: "opaque",
        }),
      },
    },
    clients: [
      {
        client_id: "by-hand",
        client_secret: "s+cr%t of a client",
        redirect_uris: ["https://workspace.test/api/mcp/oauth/callback"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    rotateRefreshToken: true,
    ttl: { AccessToken: TOKEN_SECONDS, RefreshToken: 3_600, Grant: 3_600, Interaction: 600, Session: 600 },
    interactions: { url: (_, interaction) => `/op/interaction/${interaction.uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    cookies: { keys: ["a key of this test"] },
  };
  const op = new Provider(world.issuer, configuration);
  op.on("access_token.saved", ({ jti }) => live.add(jti));
  op.on("grant.success", ({ oidc }) => world.grants.push(String(oidc.params?.["grant_type"])));
  op.on("grant.error", ({ oidc }) => world.grants.push(`${String(oidc.params?.["grant_type"])} refused`));
  op.on("access_token.destroyed", ({ jti }) => world.revoked.push(jti));
  op.on("refresh_token.destroyed", ({ jti }) => world.revoked.push(jti));
  provider = op;
  return world;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
