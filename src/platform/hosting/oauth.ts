import type { Registration } from "#src/platform/oauth/code-flow.ts";
import { createGrants, type Grant } from "#src/platform/oauth/grants.ts";
import type { ProviderFetch } from "#src/platform/oauth/provider-fetch.ts";
import type { HostingAccess, HostingGrant, HostingName, HostingOAuth } from "./hosting.ts";

/** Providers with an OAuth app. */
export type OAuthName = Exclude<HostingName, "cloudflare">;

interface Wire {
  authorizePath: string;
  /** Empty for the provider's default. */
  scope: string;
  /** `oauthBase` and `apiBase` have no trailing slash. */
  tokenEndpoint: (bases: { oauthBase: string; apiBase: string; isStandin: boolean }) => string;
}

const WIRES: Readonly<Record<OAuthName, Wire>> = {
  // Source: vercel.com/docs, "Sign in with Vercel"; without this scope the access, of an hour, is not refreshed.
  vercel: {
    authorizePath: "/oauth/authorize",
    scope: "offline_access",
    tokenEndpoint: ({ apiBase }) => `${apiBase}/login/oauth/token`,
  },
  // Source: docs.netlify.com, "Get started with the Netlify API", "Authentication". Its access does not expire.
  netlify: {
    authorizePath: "/authorize",
    scope: "",
    tokenEndpoint: ({ oauthBase, apiBase, isStandin }) =>
      `${isStandin ? oauthBase : new URL(apiBase).origin}/oauth/token`,
  },
  // Source: devcenter.heroku.com, "OAuth", "Scopes": apps with their variables, and the account's id.
  heroku: {
    authorizePath: "/oauth/authorize",
    scope: "identity write-protected",
    tokenEndpoint: ({ oauthBase }) => `${oauthBase}/oauth/token`,
  },
  // Source: docs.digitalocean.com, "OAuth API".
  digitalocean: {
    authorizePath: "/v1/oauth/authorize",
    scope: "read write",
    tokenEndpoint: ({ oauthBase }) => `${oauthBase}/v1/oauth/token`,
  },
};

/** Longest value that is stored of a callback. */
const MAX_VALUE = 200;

export function createHostingOAuth(
  name: OAuthName,
  settings: {
    label: string;
    oauthBase: string;
    apiBase: string;
    registration: Registration;
    isStandin: boolean;
    fetch: ProviderFetch;
    /** Name of the account of a credential; undefined when the provider does not tell. */
    accountName: (access: HostingAccess) => Promise<string | undefined>;
  },
): HostingOAuth {
  const { label, oauthBase, isStandin, registration, fetch, accountName } = settings;
  const { authorizePath, scope, tokenEndpoint } = WIRES[name];
  const grants = createGrants({
    label,
    issuer: oauthBase,
    authorizationEndpoint: oauthBase + authorizePath,
    tokenEndpoint: tokenEndpoint(settings),
    scope,
    registration,
    fetch,
  });
  return {
    isStandin,
    authorizationUrl: (flow) => grants.authorizationUrl(flow),
    async exchange(callback, flow) {
      const grant = await grants.exchange(callback, flow);
      const told = name === "vercel" ? toldByVercel(callback) : {};
      const account = await accountName({ token: grant.accessToken, metadata: told, isStandin });
      return granted(grant, { ...told, ...(account !== undefined && { account_name: account }) });
    },
    refresh: async (refreshToken) => granted(await grants.refresh(refreshToken), {}),
  };
}

/** Vercel adds the team that was chosen, and its id of the installation. */
function toldByVercel(callback: URLSearchParams): Record<string, string> {
  const names = [
    ["teamId", "team_id"],
    ["configurationId", "configuration_id"],
  ] as const;
  return Object.fromEntries(
    names.flatMap(([parameter, field]) => {
      const value = callback.get(parameter);
      return value === null || value === "" || value.length > MAX_VALUE ? [] : [[field, value]];
    }),
  );
}

function granted(
  { accessToken, refreshToken, expiresAt }: Grant,
  metadata: HostingGrant["metadata"],
): HostingGrant {
  return { accessToken, refreshToken, expiresAt, metadata };
}
