import type { Scope, UserCaller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { isMcpResource, mcpResource } from "#src/lib/mcp-address.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { Db } from "#src/platform/db/client.ts";
import { readClient, type Client, type ClientDeps } from "./clients.ts";
import { oauthRefusal, type OAuthError } from "./oauth-refusal.ts";
import { insertRequest } from "./queries.ts";
import { checkRedirectUri, isRegistered, placeOf } from "./redirect-uris.ts";

/** Seconds in which the person can decide. */
const LIFE_SECONDS = 600;

/** What a client has put into the address of the page. Source: RFC 6749, section 4.1.1; RFC 7636; RFC 8707. */
export interface AskedFor {
  clientId: string | undefined;
  redirectUri: string | undefined;
  responseType: string | undefined;
  scope: string | undefined;
  state: string | undefined;
  codeChallenge: string | undefined;
  codeChallengeMethod: string | undefined;
  resource: string | undefined;
}

export interface OpenedRequest {
  id: string;
  clientName: string;
  /** Host of the client's document, which it controls; null for a client that only said its name. */
  publishedBy: string | null;
  /** Where the person is sent back to: a host, "this machine", or the scheme of an app. */
  returnsTo: string;
  scopes: Scope[];
}

/** Why a request is refused, and the address that tells the client. */
export interface RefusedRequest {
  detail: string;
  redirectTo: string;
}

/**
 * Opens a request for the person's session, which alone may decide it. A request without a client or with an address that is not
 * the client's throws `invalid_input`: nobody is sent there. Throws `rate_limited` at the most requests. Any other fault is returned with the address that tells the client.
 * `offered` are the permissions that a client may have.
 */
export async function openRequest(
  deps: ClientDeps & { db: Db; config: CeilingConfig<"app_requests"> },
  caller: UserCaller,
  asked: AskedFor,
  offered: readonly Scope[],
): Promise<OpenedRequest | RefusedRequest> {
  if (!asked.clientId)
    throw oauthRefusal("invalid_request", "The app did not say who it is: client_id is missing");
  const client = await readClient(deps, asked.clientId);
  const redirectUri = requireRedirectUri(deps, client, asked.redirectUri);
  const fault = faultOf(asked, deps.config);
  const scopes = scopesOf(asked.scope, offered);
  const state = asked.state ?? null;
  const { code, detail } = fault ?? {
    code: "invalid_scope" as const,
    detail: `The app asks for nothing that exists here: permissions are ${offered.join(", ")}`,
  };
  if (fault || scopes.length === 0) {
    return {
      detail,
      redirectTo: addressBack(
        { redirectUri, state, config: deps.config },
        { error: code, error_description: detail },
      ),
    };
  }
  const id = newId();
  await insertRequest(deps, caller.userId, {
    id,
    sessionId: caller.sessionId,
    clientId: client.clientId,
    clientName: client.name,
    redirectUri,
    state,
    scopes,
    codeChallenge: asked.codeChallenge ?? "",
    lifeSeconds: LIFE_SECONDS,
  });
  const isPublished = client.clientId.startsWith("https://");
  return {
    id,
    clientName: client.name,
    publishedBy: isPublished ? new URL(client.clientId).host : null,
    returnsTo: placeOf(redirectUri),
    scopes,
  };
}

function requireRedirectUri({ config }: ClientDeps, client: Client, redirectUri: string | undefined): string {
  if (!redirectUri)
    throw oauthRefusal("invalid_request", "The app did not say where to return: redirect_uri is missing");
  if (!isRegistered(redirectUri, client.redirectUris)) {
    throw oauthRefusal("invalid_redirect_uri", "The redirect address is not one that the app has registered");
  }
  // Also here: the configuration may have changed, and a document is the client's own.
  checkRedirectUri(redirectUri, config);
  return redirectUri;
}

const fault = (code: OAuthError, detail: string) => ({ code, detail });

function faultOf(
  asked: AskedFor,
  config: { PUBLIC_URL: string },
): { code: OAuthError; detail: string } | undefined {
  if (asked.responseType !== "code") return fault("unsupported_response_type", "response_type must be code");
  if (asked.codeChallengeMethod !== "S256" || !/^[\w-]{43}$/u.test(asked.codeChallenge ?? "")) {
    return fault("invalid_request", "code_challenge is required, with the method S256 (PKCE)");
  }
  if (asked.resource !== undefined && !isMcpResource(asked.resource, config)) {
    return fault("invalid_target", `resource must be ${mcpResource(config)}`);
  }
  return undefined;
}

/** The known permissions among those that a client asks for; all that are offered, when it names none. */
function scopesOf(asked: string | undefined, offered: readonly Scope[]): Scope[] {
  if (!asked?.trim()) return [...offered];
  const names = new Set(asked.split(" "));
  return offered.filter((scope) => names.has(scope));
}

/** The client's address with what it is told. `iss` says who tells it (RFC 9207). */
export function addressBack(
  {
    redirectUri,
    state,
    config,
  }: { redirectUri: string; state: string | null; config: { PUBLIC_URL: string } },
  said: Readonly<Record<string, string>>,
): string {
  const added = new URLSearchParams({
    ...said,
    ...(state !== null && { state }),
    iss: withoutSlash(config.PUBLIC_URL),
  });
  // The text itself, because the client compares it with what it registered.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${added.toString()}`;
}

/** Throws `gone` for a request that has expired, `conflict` for one that has been decided, `not_found` for another session's. */
export function requireOpen<R extends { decided: boolean; expired: boolean }>(request: R | undefined): R {
  if (!request) throw new AppError("not_found", "Request not found: open the page again from the app");
  if (request.decided) throw new AppError("conflict", "This request has been allowed or denied already");
  if (request.expired) throw new AppError("gone", "This request has expired: start again from the app");
  return request;
}
