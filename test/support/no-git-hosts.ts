import { createGitHosts } from "#src/platform/git-hosts/index.ts";

const NONE = { clientId: undefined, clientSecret: undefined, redirectUri: undefined };

/** The git hosts by their usual addresses; nobody is connected to them. */
export const GIT_HOSTS = createGitHosts({
  github: { ...NONE, baseUrl: "https://github.com", apiBaseUrl: "https://api.github.com" },
  gitlab: { ...NONE, baseUrl: "https://gitlab.com" },
  bitbucket: { ...NONE, baseUrl: "https://bitbucket.org", apiBaseUrl: "https://api.bitbucket.org" },
  timeoutMs: 1000,
  production: false,
});
