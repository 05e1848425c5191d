import type * as Protocol from "@modelcontextprotocol/client";
import { calculatePKCECodeChallenge } from "oauth4webapi";
import { USER_AGENT } from "#src/lib/user-agent.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { boundedSafeFetch } from "./bounded-safe-fetch.ts";
import { discover } from "./discover.ts";
import {
  McpOAuthFailure,
  type AuthorizationServer,
  type McpGrant,
  type McpOAuth,
  type OAuthClient,
  type RegisteredClient,
} from "./mcp-oauth.ts";
import { scopesIn } from "#src/lib/oauth-scopes.ts";
import { toFailure } from "./to-failure.ts";

/** How long each step may take with all its requests, in milliseconds. */
const DISCOVERY_MS = 30_000;
const REQUEST_MS = 10_000;
const REVOCATION_MS = 4_000;

/** Longest token that is kept, in characters. */
const MAX_TOKEN_CHARS = 16_000;

/** `publicUrl` without a final slash: browsers come back to it, and authorization servers read the client's metadata there. */
export function createMcpOAuth({
  safeFetch,
  publicUrl,
}: {
  safeFetch: SafeFetch;
  publicUrl: string;
}): McpOAuth {
  const redirectUri = `${publicUrl}/api/mcp/oauth/callback`;
  const aboutClient = {
    client_name: "Agent Workspace",
    client_uri: publicUrl,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  return {
    redirectUri,
    clientDocument: {
      client_id: `${publicUrl}/api/mcp/oauth/client`,
      ...aboutClient,
      application_type: "web",
      token_endpoint_auth_method: "none",
    },
    hasDocument: publicUrl.startsWith("https:"),

    discover: (url, challenge) =>
      told("say how it works", async (protocol) =>
        discover(protocol, boundedSafeFetch(safeFetch, DISCOVERY_MS), url, challenge),
      ),

    register: (server) =>
      told("register this service as a client", async (protocol) => {
        const clientMetadata = protocol.resolveClientMetadata({
          redirectUrl: redirectUri,
          clientMetadata: { ...aboutClient, token_endpoint_auth_method: methodFor(server) },
        });
        const made = await protocol.registerClient(server.issuer, {
          metadata: metadataOf(server),
          clientMetadata,
          fetchFn: boundedSafeFetch(safeFetch, REQUEST_MS),
        });
        return toClient(made);
      }),

    async authorizationUrl({ server, client }, { state, verifier, resource, scope }) {
      const url = new URL(server.authorizationEndpoint);
      const parameters = {
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: redirectUri,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        resource,
        ...(scope !== null && { scope }),
        // OpenID Connect gives refresh tokens to those alone who ask the person for it.
        ...(scope?.split(" ").includes("offline_access") && { prompt: "consent" }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    checkIssuer: (server, parameters) =>
      told("name itself", async (protocol) =>
        protocol.validateAuthorizationResponseIssuer({
          iss: parameters.get("iss") ?? undefined,
          expectedIssuer: server.issuer,
          issParameterSupported: server.namesItself,
        }),
      ),

    exchange: ({ server, client }, { code, verifier, resource }) =>
      told("exchange the code for a token", async (protocol) => {
        const { iss, ...request } = tokenRequest(protocol, server, client, resource);
        const tokens = await protocol.exchangeAuthorization(server.issuer, {
          ...request,
          // It was checked before the code was read.
          ...(server.namesItself && { iss }),
          authorizationCode: code,
          codeVerifier: verifier,
          redirectUri,
        });
        return toGrant(tokens);
      }),

    refresh: ({ server, client }, refreshToken, resource) =>
      told("renew the token", async (protocol) => {
        const { iss: _, ...request } = tokenRequest(protocol, server, client, resource);
        return toGrant(await protocol.refreshAuthorization(server.issuer, { ...request, refreshToken }));
      }),

    async revoke({ server, client }, { token, hint }) {
      if (server.revocationEndpoint === null) return;
      try {
        const protocol = await import("@modelcontextprotocol/client");
        const endpoint = protocol.assertSecureTokenEndpoint(server.revocationEndpoint);
        const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
        const body = new URLSearchParams({ token, token_type_hint: hint });
        authenticate(protocol, server, client)(headers, body);
        await boundedSafeFetch(safeFetch, REVOCATION_MS)(endpoint, { method: "POST", headers, body });
      } catch {
        // The token is forgotten here, and expires there.
      }
    },
  };

  function tokenRequest(
    protocol: typeof Protocol,
    server: AuthorizationServer,
    client: OAuthClient,
    resource: string,
  ) {
    return {
      metadata: metadataOf(server),
      iss: server.issuer,
      clientInformation: { client_id: client.clientId },
      addClientAuthentication: authenticate(protocol, server, client),
      resource,
      fetchFn: withUserAgent(boundedSafeFetch(safeFetch, REQUEST_MS)),
    };
  }
}

/** Some authorization servers refuse requests without one. */
function withUserAgent(send: Protocol.FetchLike): Protocol.FetchLike {
  return (address, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("user-agent", USER_AGENT);
    return send(address, { ...init, headers });
  };
}

/** The package is large, and most isolates never need it. */
async function told<T>(what: string, work: (protocol: typeof Protocol) => Promise<T> | T): Promise<T> {
  try {
    return await work(await import("@modelcontextprotocol/client"));
  } catch (error) {
    throw toFailure(error, what);
  }
}

/** The metadata as the package reads them. */
function metadataOf(server: AuthorizationServer) {
  return {
    issuer: server.issuer,
    authorization_endpoint: server.authorizationEndpoint,
    token_endpoint: server.tokenEndpoint,
    ...(server.registrationEndpoint !== null && { registration_endpoint: server.registrationEndpoint }),
    ...(server.authMethods.length > 0 && { token_endpoint_auth_methods_supported: server.authMethods }),
    response_types_supported: ["code"],
    authorization_response_iss_parameter_supported: server.namesItself,
  };
}

/** How this service wants to authenticate where it registers. RFC 8414: `client_secret_basic` where nothing is said. */
function methodFor({ authMethods: known }: AuthorizationServer): string {
  const preferred = ["client_secret_basic", "client_secret_post", "none"];
  return preferred.find((method) => known.includes(method)) ?? "client_secret_basic";
}

/** Adds a client's credentials to a request, encoded as RFC 6749, 2.3.1 says: the package leaves that out. */
function authenticate(protocol: typeof Protocol, server: AuthorizationServer, client: OAuthClient) {
  const { clientId, clientSecret, authMethod } = client;
  const method = protocol.selectClientAuthMethod(
    {
      client_id: clientId,
      ...(clientSecret !== null && { client_secret: clientSecret }),
      ...(authMethod !== null && { token_endpoint_auth_method: authMethod }),
    },
    server.authMethods,
  );
  return (headers: Headers, parameters: URLSearchParams): void => {
    if (method === "client_secret_basic" && clientSecret !== null) {
      const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
      headers.set("authorization", `Basic ${btoa(credentials)}`);
      return;
    }
    parameters.set("client_id", clientId);
    if (method === "client_secret_post" && clientSecret !== null) {
      parameters.set("client_secret", clientSecret);
    }
  };
}

const formEncoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);

function toClient(made: Awaited<ReturnType<typeof Protocol.registerClient>>): RegisteredClient {
  const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: expires } = made;
  if (clientId.length > MAX_TOKEN_CHARS || (clientSecret?.length ?? 0) > MAX_TOKEN_CHARS) {
    throw new McpOAuthFailure("refused", "The authorization server's registration is too large");
  }
  return {
    clientId,
    clientSecret: clientSecret ?? null,
    authMethod: made.token_endpoint_auth_method ?? null,
    secretExpiresAt: clientSecret !== undefined && expires ? dateOf(expires * 1000) : null,
  };
}

/** Null for a time after all dates. */
function dateOf(milliseconds: number): Date | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date;
}

function toGrant(tokens: Awaited<ReturnType<typeof Protocol.exchangeAuthorization>>): McpGrant {
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type } = tokens;
  if (type.toLowerCase() !== "bearer") {
    throw new McpOAuthFailure("refused", "The authorization server gave a token of an unknown kind");
  }
  const isUsable = /^[\x21-\x7e]+$/u.test(accessToken) && accessToken.length <= MAX_TOKEN_CHARS;
  if (!isUsable || (refreshToken?.length ?? 0) > MAX_TOKEN_CHARS) {
    throw new McpOAuthFailure("refused", "The authorization server gave a token that cannot be used");
  }
  const lifetime = tokens.expires_in;
  return {
    accessToken,
    refreshToken: refreshToken ?? null,
    lifetimeSeconds: lifetime !== undefined && lifetime > 0 ? Math.min(lifetime, 10 * 365 * 86_400) : null,
    scope: scopesIn(tokens.scope),
  };
}
