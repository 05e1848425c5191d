import * as oauth from "oauth4webapi";
import type { OAuthFlow } from "./provider.ts";
import type { ProviderFetch } from "./provider-fetch.ts";

/** The service's registration at a provider. */
export interface Registration {
  clientId: string;
  clientSecret: string;
  /** Where the provider redirects the browser; the same for requesting and for exchanging the code. */
  redirectUri: string;
}

/** Returns the address that requests a code (RFC 6749, 4.1.1), with PKCE S256 (RFC 7636). No scope is the provider's default. */
export async function authorizationUrl(
  server: oauth.AuthorizationServer,
  { clientId, redirectUri }: Registration,
  scope: string,
  flow: OAuthFlow,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const url = new URL(server.authorization_endpoint ?? "");
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(scope !== "" && { scope }),
    state: flow.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: "S256",
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

interface SpentCode {
  callback: URLSearchParams;
  flow: OAuthFlow;
  fetch: ProviderFetch;
  /** How the client secret is sent; in the body by default. */
  authenticate?: typeof oauth.ClientSecretPost;
}

/**
 * Checks a callback (RFC 6749, 4.1.2; RFC 9207) and exchanges its code. Throws when the callback reports a refusal,
 * comes from another issuer or repeats a parameter.
 */
export async function spendCode(
  server: oauth.AuthorizationServer,
  registration: Registration,
  { callback, flow, fetch, authenticate = oauth.ClientSecretPost }: SpentCode,
): Promise<Response> {
  const client = clientOf(registration);
  return oauth.authorizationCodeGrantRequest(
    server,
    client,
    authenticate(registration.clientSecret),
    oauth.validateAuthResponse(server, client, callback, flow.state),
    registration.redirectUri,
    flow.verifier,
    requestOptions(fetch),
  );
}

export function clientOf({ clientId }: Registration): oauth.Client {
  return { client_id: clientId };
}

/** `fetch` decides whether plain http is allowed. */
export function requestOptions(fetch: ProviderFetch) {
  return {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: fetch,
  };
}
