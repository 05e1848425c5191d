import type { Registration } from "#src/platform/oauth/code-flow.ts";
import { createProviderFetch } from "#src/platform/oauth/provider-fetch.ts";
import { createBitbucketHost } from "./bitbucket.ts";
import type { GitHosts } from "./git-host.ts";
import { createGitHubHost } from "./github.ts";
import { createGitLabHost } from "./gitlab.ts";

export type { GitHosts } from "./git-host.ts";

/** Without an id and a secret, users can connect an account only with a personal token. */
type Credentials = { [Field in keyof Registration]: Registration[Field] | undefined };

/**
 * The git hosts of an installation; addresses have no trailing slash. `timeoutMs` bounds each request. Plain http is
 * used only where an address is configured so, and never in production.
 */
export function createGitHosts(options: {
  github: Credentials & { baseUrl: string; apiBaseUrl: string };
  gitlab: Credentials & { baseUrl: string };
  bitbucket: Credentials & { baseUrl: string; apiBaseUrl: string };
  timeoutMs: number;
  production: boolean;
}): GitHosts {
  const { github, gitlab, bitbucket, timeoutMs, production } = options;
  const partsOf = (credentials: Credentials, ...addresses: string[]) => ({
    registration: registrationOf(credentials),
    fetch: createProviderFetch({
      timeoutMs,
      allowHttp: !production && addresses.some((address) => address.startsWith("http:")),
    }),
  });
  return {
    github: createGitHubHost({
      baseUrl: github.baseUrl,
      apiBaseUrl: github.apiBaseUrl,
      ...partsOf(github, github.baseUrl, github.apiBaseUrl),
    }),
    gitlab: createGitLabHost({ baseUrl: gitlab.baseUrl, ...partsOf(gitlab, gitlab.baseUrl) }),
    bitbucket: createBitbucketHost({
      baseUrl: bitbucket.baseUrl,
      apiBaseUrl: bitbucket.apiBaseUrl,
      ...partsOf(bitbucket, bitbucket.baseUrl, bitbucket.apiBaseUrl),
    }),
  };
}

function registrationOf({ clientId, clientSecret, redirectUri }: Credentials): Registration | undefined {
  return clientId && clientSecret && redirectUri ? { clientId, clientSecret, redirectUri } : undefined;
}
