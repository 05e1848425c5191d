import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";

export const GIT_HOSTS = ["github", "gitlab", "bitbucket"] as const satisfies readonly GitHostName[];

/** The git host of an address; `undefined` for any other place. */
export function hostAt(gitHosts: GitHosts, url: string): GitHostName | undefined {
  const origin = URL.parse(url)?.origin;
  return GIT_HOSTS.find((name) => gitHosts[name].origin === origin);
}
