import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64url } from "jose";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { newKeySecrets } from "#src/domain/programs/api-keys/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { isMcpResource, mcpResource } from "#src/lib/mcp-address.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { endGrant, type EndDeps } from "./end-grant.ts";
import { oauthRefusal } from "./oauth-refusal.ts";
import { insertGrant, requestByCode } from "./queries.ts";
import { placeOf } from "./redirect-uris.ts";
import { newTokens, type IssuedTokens } from "./tokens.ts";

export interface TokenDeps extends EndDeps {
  secrets: Secrets;
  config: CeilingConfig<"connected_apps"> & { PUBLIC_URL: string };
}

export interface CodeInput {
  code: string;
  clientId: string;
  /** Compared if it is given: OAuth 2.1 no longer sends it. */
  redirectUri: string | undefined;
  codeVerifier: string;
  resource: string | undefined;
}

const USED = "The code is unknown, used or expired: sign in again";

/**
 * Exchanges a code for the tokens of a new grant, once. A code that is presented again has leaked: what it gave ends. A code that is
 * presented by another client, with another address or without its verifier (PKCE) is refused and stays. Throws `invalid_input` with
 * RFC 6749's code.
 */
export async function exchangeCode(deps: TokenDeps, input: CodeInput, client: Client): Promise<IssuedTokens> {
  requireResource(input.resource, deps.config);
  const codeHash = sha256Hex(input.code);
  const [request] = await requestByCode(deps.db, codeHash);
  if (!request || request.teamId === null) throw oauthRefusal("invalid_grant", USED);
  const { userId, teamId } = request;
  if (request.used) return refuseReused(deps, request, client);
  if (request.clientId !== input.clientId)
    throw oauthRefusal("invalid_grant", "The code was given to another client");
  if (input.redirectUri !== undefined && input.redirectUri !== request.redirectUri) {
    throw oauthRefusal("invalid_grant", "redirect_uri is not the one of the request");
  }
  if (challengeOf(input.codeVerifier) !== request.codeChallenge) {
    throw oauthRefusal("invalid_grant", "code_verifier does not fit the request");
  }
  const { issued, stored } = newTokens();
  const { stored: key } = await newKeySecrets(deps);
  const grantId = newId();
  const { clientName } = request;
  const returnsTo = placeOf(request.redirectUri);
  const resource = mcpResource(deps.config);
  const scopes = await insertGrant(
    deps,
    { requestId: request.id, grantId, userId, teamId, clientName, returnsTo, resource, key, tokens: stored },
    {
      userId,
      teamId,
      action: "connected_app.connected",
      resourceType: "connected_app",
      resourceId: grantId,
      details: { client_name: clientName, returns_to: returnsTo },
      client,
    },
  );
  if (scopes) return { ...issued, scopes };
  // Between the two statements it was used, it expired, or its session ended.
  const [now] = await requestByCode(deps.db, codeHash);
  return refuseReused(deps, now ?? { userId, grantId: null }, client);
}

async function refuseReused(
  deps: EndDeps,
  { userId, grantId }: { userId: string; grantId: string | null },
  client: Client,
): Promise<never> {
  if (grantId !== null)
    await endGrant(deps, { userId, grantId }, { action: "connected_app.code_reused", client });
  throw oauthRefusal("invalid_grant", USED);
}

/** Throws `invalid_input` for a resource that is not the MCP server. */
export function requireResource(resource: string | undefined, config: { PUBLIC_URL: string }): void {
  if (resource === undefined || isMcpResource(resource, config)) return;
  throw oauthRefusal("invalid_target", `resource must be ${mcpResource(config)}`);
}

/** Source: RFC 7636, section 4.6. */
function challengeOf(verifier: string): string {
  return base64url.encode(sha256(utf8ToBytes(verifier)));
}
