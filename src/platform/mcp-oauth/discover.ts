import type * as Protocol from "@modelcontextprotocol/client";
import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { scopesIn } from "#src/lib/oauth-scopes.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { McpOAuthFailure, type AuthorizationServer, type Challenge, type Discovered } from "./mcp-oauth.ts";

type Metadata = NonNullable<Awaited<ReturnType<typeof Protocol.discoverAuthorizationServerMetadata>>>;
type ResourceMetadata = Awaited<ReturnType<typeof Protocol.discoverOAuthProtectedResourceMetadata>>;

/**
 * Asks an MCP server who its authorization server is, and that one about itself. What they say is believed only if the server names
 * itself, the authorization server names itself, and it supports PKCE with S256.
 */
export async function discover(
  protocol: typeof Protocol,
  fetchFn: Protocol.FetchLike,
  url: string,
  challenge: Challenge,
): Promise<Discovered> {
  const resource = await resourceMetadata(protocol, fetchFn, url, challenge);
  const own = protocol.resourceUrlFromServerUrl(url);
  if (
    resource &&
    !protocol.checkResourceAllowed({ requestedResource: own, configuredResource: resource.resource })
  ) {
    throw new McpOAuthFailure("refused", "The server's metadata are those of another server");
  }
  // Servers of 2025-03-26 have no metadata of their own: they are their own authorization servers.
  const issuer = resource?.authorization_servers?.[0] ?? String(new URL("/", url));
  if (!URL.canParse(issuer)) {
    throw new McpOAuthFailure("refused", "The server's metadata name no usable authorization server");
  }
  let revocationEndpoint: string | null = null;
  // The package leaves this field out of metadata of OpenID.
  const heard: Protocol.FetchLike = async (address, init) => {
    const answer = await fetchFn(address, init);
    if (answer.ok) revocationEndpoint = revocationIn(await answer.clone().text());
    return answer;
  };
  const metadata = await protocol.discoverAuthorizationServerMetadata(issuer, { fetchFn: heard });
  if (!metadata) {
    throw new McpOAuthFailure("refused", "The server names no authorization server that says how it works");
  }
  return {
    server: { ...toServer(metadata), revocationEndpoint },
    resource: resource?.resource ?? own.href,
    scope: scopesIn(resource?.scopes_supported?.join(" ")),
    offersOfflineAccess: metadata.scopes_supported?.includes("offline_access") ?? false,
  };
}

/** The metadata that the challenge names, else those at the well-known addresses; undefined for none. */
async function resourceMetadata(
  protocol: typeof Protocol,
  fetchFn: Protocol.FetchLike,
  url: string,
  { resourceMetadata: named }: Challenge,
): Promise<ResourceMetadata | undefined> {
  const addresses = named === undefined ? [undefined] : [named, undefined];
  for (const resourceMetadataUrl of addresses) {
    try {
      const options = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
      return await protocol.discoverOAuthProtectedResourceMetadata(url, options, fetchFn);
    } catch (error) {
      // That nothing is there is an answer. An address that must not be called, or is silent, is not.
      if (error instanceof AppError || error instanceof McpOAuthFailure) throw error;
    }
  }
  return undefined;
}

function toServer(metadata: Metadata): Omit<AuthorizationServer, "revocationEndpoint"> {
  if (!metadata.code_challenge_methods_supported?.includes("S256")) {
    throw new McpOAuthFailure("refused", "The authorization server does not support PKCE with S256");
  }
  if (!metadata.response_types_supported.includes("code")) {
    throw new McpOAuthFailure("refused", "The authorization server does not give out codes");
  }
  const { authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint } = metadata;
  if (!isForBrowsers(authorizationEndpoint)) {
    throw new McpOAuthFailure("refused", "The authorization server's address for browsers is not https");
  }
  return {
    issuer: metadata.issuer,
    authorizationEndpoint,
    tokenEndpoint,
    registrationEndpoint: metadata.registration_endpoint ?? null,
    authMethods: metadata.token_endpoint_auth_methods_supported ?? [],
    takesClientDocuments: Reflect.get(metadata, "client_id_metadata_document_supported") === true,
    namesItself: metadata.authorization_response_iss_parameter_supported === true,
  };
}

const Revocation = z.object({ revocation_endpoint: z.string().max(2_000) });

function revocationIn(text: string): string | null {
  return safeParseJson(text, Revocation)?.value.revocation_endpoint ?? null;
}

/** An address that a person's browser may be sent to. */
function isForBrowsers(text: string): boolean {
  const url = URL.parse(text);
  const isHere = url && /^(?:localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/u.test(url.hostname);
  return url?.protocol === "https:" || (url?.protocol === "http:" && Boolean(isHere));
}
