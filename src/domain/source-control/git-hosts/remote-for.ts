import type { GitRemote } from "#src/git/protocol.ts";
import { hostAt } from "./hosts.ts";
import { usableToken, type TokenDeps } from "./usable-token.ts";

export type GitHostDeps = TokenDeps;

/**
 * A remote with the credentials that git needs: the person's token for a host to which they are connected, none for any
 * other address. Throws as `usableToken` does.
 */
export async function remoteFor(
  deps: GitHostDeps,
  { userId, url }: { userId: string; url: string },
): Promise<GitRemote> {
  const name = hostAt(deps.gitHosts, url);
  const token = name && (await usableToken(deps, userId, name));
  return name && token ? { url, auth: deps.gitHosts[name].gitCredentials(token) } : { url };
}
