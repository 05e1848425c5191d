import type { McpOAuthClient } from "#src/db/schema/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { scopesIn } from "#src/lib/oauth-scopes.ts";
import type { Discovered, McpOAuth, OAuthClient } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { Authorization, StoredClient } from "./queries/authorizations.ts";

/** A client id that a person entered, with its secret if it has one. */
export interface GivenClient {
  clientId: string;
  clientSecret: string | null;
}

type Sealing = { secrets: Pick<Secrets, "encrypt" | "decrypt"> };

export const NO_CLIENT: StoredClient = { client: null, encryptedClientSecret: null };

export async function sealGivenClient(
  deps: Sealing,
  { clientId, clientSecret }: GivenClient,
): Promise<StoredClient> {
  const client: McpOAuthClient = {
    source: "given",
    clientId,
    issuer: null,
    authMethod: null,
    redirectUri: null,
    secretExpiresAt: null,
  };
  return seal(deps, client, clientSecret);
}

/** The client with its secret. Throws `InvalidToken` when no configured key opens it, and `Error` without a client. */
export async function openClient(
  { secrets }: Sealing,
  { client, encryptedClientSecret }: StoredClient,
): Promise<OAuthClient> {
  if (!client) throw new Error("There is no client");
  const { clientId, authMethod } = client;
  const clientSecret = encryptedClientSecret === null ? null : await secrets.decrypt(encryptedClientSecret);
  return { clientId, authMethod, clientSecret };
}

/** The client without what an authorization server gave it: what a person entered stays. */
export function givenOnly(row: StoredClient | undefined): StoredClient {
  if (row?.client?.source !== "given") return NO_CLIENT;
  return { client: row.client, encryptedClientSecret: row.encryptedClientSecret };
}

/**
 * As which client this service goes to an authorization server: as the one that a person entered, as its own metadata, or as one
 * that it registers. A client is known to one authorization server alone, and its secret is sent to no other. Throws
 * `invalid_input` where there is no way, and `McpOAuthFailure`.
 */
export async function clientFor(
  deps: Sealing & { mcpOAuth: McpOAuth },
  row: Authorization | undefined,
  { server }: Discovered,
): Promise<StoredClient> {
  const { mcpOAuth } = deps;
  const { issuer } = server;
  const known = row?.client ?? undefined;
  if (row && known?.source === "given") {
    if (known.issuer !== null && known.issuer !== issuer) {
      throw new AppError(
        "invalid_input",
        `The server now names another authorization server (${hostOf(issuer)}): enter the client ID that this service has there`,
      );
    }
    return { client: { ...known, issuer }, encryptedClientSecret: row.encryptedClientSecret };
  }
  const base = { issuer, redirectUri: mcpOAuth.redirectUri, secretExpiresAt: null };
  const { client_id: clientId } = mcpOAuth.clientDocument;
  if (mcpOAuth.hasDocument && server.takesClientDocuments && isOne(server)) {
    return seal(deps, { ...base, source: "document", clientId, authMethod: "none" }, null);
  }
  if (row && known?.source === "registered" && isStillKnown(known, base)) {
    return { client: known, encryptedClientSecret: row.encryptedClientSecret };
  }
  if (server.registrationEndpoint === null) {
    throw new AppError(
      "invalid_input",
      `The authorization server (${hostOf(issuer)}) registers no clients by itself: register this service there with the address ${mcpOAuth.redirectUri}, and enter the client ID and secret`,
    );
  }
  const registered = await mcpOAuth.register(server);
  const { authMethod, secretExpiresAt } = registered;
  if (registered.clientId === clientId) {
    throw new AppError(
      "invalid_input",
      "The authorization server registers this service under an id that is not its own",
    );
  }
  const expires = secretExpiresAt?.toISOString() ?? null;
  return seal(
    deps,
    { ...base, source: "registered", clientId: registered.clientId, authMethod, secretExpiresAt: expires },
    registered.clientSecret,
  );
}

/**
 * Whether the code goes to who gives it out. The metadata document is one client id for every authorization server: metadata that
 * name the page of an honest one and a token endpoint of their own would have its code sent there. Source: RFC 9207, section 1.
 */
function isOne({ namesItself, authorizationEndpoint, tokenEndpoint }: Discovered["server"]): boolean {
  return namesItself || new URL(authorizationEndpoint).origin === URL.parse(tokenEndpoint)?.origin;
}

function isStillKnown(
  { issuer, redirectUri, secretExpiresAt }: McpOAuthClient,
  wanted: Pick<McpOAuthClient, "issuer" | "redirectUri">,
): boolean {
  const hasExpired = secretExpiresAt !== null && Date.parse(secretExpiresAt) < Date.now();
  return issuer === wanted.issuer && redirectUri === wanted.redirectUri && !hasExpired;
}

async function seal(
  { secrets }: Sealing,
  client: McpOAuthClient,
  secret: string | null,
): Promise<StoredClient> {
  return { client, encryptedClientSecret: secret === null ? null : await secrets.encrypt(secret) };
}

const hostOf = (address: string) => URL.parse(address)?.host ?? "unknown";

/** The scopes to ask for: those it has and those that the server wants, else those that its metadata name. */
export function scopeFor(
  wanted: readonly (string | null | undefined)[],
  { scope: named, offersOfflineAccess }: Pick<Discovered, "scope" | "offersOfflineAccess">,
): string | null {
  const asked = scopesIn(...wanted) ?? named;
  return asked === null || !offersOfflineAccess ? asked : scopesIn(asked, "offline_access");
}
