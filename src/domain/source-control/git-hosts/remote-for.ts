import type { GitRemote } from "#src/git/protocol.ts";
import { hostAt } from "./hosts.ts";
import { usableToken, type TokenDeps } from "./usable-token.ts";

export type GitHostDeps = TokenDeps;

/**
 * A remote as git is to reach it for somebody: with their token where the address is at a host they are connected to, and
 * without any credentials everywhere else. Throws as `usableToken` does.
 */
export async function remoteFor(
  deps: GitHostDeps,
  { userId, url }: { userId: string; url: string },
): Promise<GitRemote> {
  const name = hostAt(deps.gitHosts, url);
  const token = name && (await usableToken(deps, userId, name));
  return name && token ? { url, auth: deps.gitHosts[name].gitCredentials(token) } : { url };
}
