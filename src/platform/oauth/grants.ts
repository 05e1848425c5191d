import * as oauth from "oauth4webapi";
import { authorizationUrl, clientOf, requestOptions, spendCode, type Registration } from "./code-flow.ts";
import { failingAs } from "./failure.ts";
import type { ProviderFetch } from "./provider-fetch.ts";
import type { OAuthFlow } from "./provider.ts";

/** The result of exchanging a code or a refresh token. */
export interface Grant {
  accessToken: string;
  refreshToken: string | null;
  /** Null for a token that does not expire. */
  expiresAt: Date | null;
  scope: string | null;
}

/** Settings for asking a provider for access in a person's name. */
export interface GrantSettings {
  label: string;
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  scope: string;
  registration: Registration;
  fetch: ProviderFetch;
  /** How the client secret is sent; in the body by default. */
  authenticate?: typeof oauth.ClientSecretPost;
}

/** The OAuth code flow of a provider. Every failure is an `OAuthFailure`. */
export interface Grants {
  authorizationUrl(flow: OAuthFlow): Promise<string>;
  /** Exchanges the code of a callback. */
  exchange(callback: URLSearchParams, flow: OAuthFlow): Promise<Grant>;
  refresh(refreshToken: string): Promise<Grant>;
}

export function createGrants(settings: GrantSettings): Grants {
  const { label, registration, fetch, scope, authenticate = oauth.ClientSecretPost } = settings;
  const server: oauth.AuthorizationServer = {
    issuer: settings.issuer,
    authorization_endpoint: settings.authorizationEndpoint,
    token_endpoint: settings.tokenEndpoint,
  };
  const client = clientOf(registration);

  return {
    authorizationUrl: (flow) => authorizationUrl(server, registration, scope, flow),
    exchange: (callback, flow) =>
      failingAs(`${label}'s token endpoint`, async () => {
        const response = await spendCode(server, registration, {
          callback,
          flow,
          fetch,
          authenticate,
        });
        return toGrant(await oauth.processAuthorizationCodeResponse(server, client, response));
      }),
    refresh: (refreshToken) =>
      failingAs(`${label}'s token endpoint`, async () => {
        const response = await oauth.refreshTokenGrantRequest(
          server,
          client,
          authenticate(registration.clientSecret),
          refreshToken,
          requestOptions(fetch),
        );
        const grant = toGrant(await oauth.processRefreshTokenResponse(server, client, response));
        return { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
      }),
  };
}

function toGrant(answer: oauth.TokenEndpointResponse): Grant {
  const { access_token, refresh_token, expires_in, scope, scopes } = answer;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    expiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000),
    // Bitbucket returns the field as `scopes`.
    scope: scope ?? (typeof scopes === "string" ? scopes : null),
  };
}
