import type { Registration } from "./code-flow.ts";
import { createGitHub } from "./github.ts";
import { createGoogle } from "./google.ts";
import { createProviderFetch } from "./provider-fetch.ts";
import type { OAuthProviders } from "./provider.ts";

/** Without an id and a secret the provider is disabled. */
type Credentials = { [Field in keyof Registration]: Registration[Field] | undefined };

/**
 * The sign-in providers of an installation. `timeoutMs` bounds each request. Plain http is used only where an address
 * is configured so, and never in production.
 */
export function createOAuthProviders(options: {
  github: Credentials & { baseUrl: string; apiBaseUrl: string };
  google: Credentials & { issuer: string };
  timeoutMs: number;
  production: boolean;
}): OAuthProviders {
  const { timeoutMs, production } = options;
  const fetchFor = (...addresses: string[]) => {
    const allowHttp = !production && addresses.some((address) => address.startsWith("http:"));
    return createProviderFetch({ timeoutMs, allowHttp });
  };
  const github = registrationOf(options.github);
  const google = registrationOf(options.google);
  const { baseUrl, apiBaseUrl } = options.github;
  const { issuer } = options.google;
  return {
    github: github && createGitHub(github, { baseUrl, apiBaseUrl, fetch: fetchFor(baseUrl, apiBaseUrl) }),
    google: google && createGoogle(google, { issuer, fetch: fetchFor(issuer) }),
  };
}

function registrationOf({ clientId, clientSecret, redirectUri }: Credentials): Registration | undefined {
  return clientId && clientSecret && redirectUri ? { clientId, clientSecret, redirectUri } : undefined;
}
