import * as oauth from "oauth4webapi";
import {
  authorizationUrl,
  clientOf,
  requestOptions,
  spendCode,
  type Registration,
} from "#src/platform/oauth/code-flow.ts";
import { failingAs } from "#src/platform/oauth/failure.ts";
import type { ProviderFetch } from "#src/platform/oauth/provider-fetch.ts";
import type { GitHost, Grant } from "./git-host.ts";

/** Settings for asking a host for access to repositories. */
export interface GrantSettings {
  label: string;
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  scope: string;
  registration: Registration | undefined;
  fetch: ProviderFetch;
  /** How the client secret is sent; in the body by default. */
  authenticate?: typeof oauth.ClientSecretPost;
}

/** The OAuth code flow of a host; null without a registration. */
export function createGrants(settings: GrantSettings): GitHost["oauth"] {
  const { label, registration, fetch, scope, authenticate = oauth.ClientSecretPost } = settings;
  if (!registration) return null;
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
