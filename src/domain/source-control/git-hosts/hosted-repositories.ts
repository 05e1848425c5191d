import { AppError } from "#src/lib/errors.ts";
import type {
  GitHost,
  GitHostName,
  HostedBranch,
  HostedRepository,
  HostToken,
} from "#src/platform/git-hosts/git-host.ts";
import { hostAt } from "./hosts.ts";
import { usableToken, type TokenDeps } from "./usable-token.ts";

/**
 * Repositories that a person's account at a host can reach. Throws `invalid_input` for a person who is not connected,
 * because a 401 would tell a browser that it is signed out. Otherwise throws as `GitHost` does.
 */
export function hostedRepositories(
  deps: TokenDeps,
  userId: string,
  name: GitHostName,
  page: { page: number; perPage: number },
): Promise<HostedRepository[]> {
  return asConnected(deps, userId, name, (host, token) => host.repositories(token, page));
}

export function hostedRepository(
  deps: TokenDeps,
  userId: string,
  name: GitHostName,
  { owner, repository }: { owner: string; repository: string },
): Promise<HostedRepository> {
  return asConnected(deps, userId, name, (host, token) => host.repository(token, owner, repository));
}

export async function hostedBranches(
  deps: TokenDeps,
  userId: string,
  name: GitHostName,
  { owner, repository }: { owner: string; repository: string },
): Promise<HostedBranch[]> {
  return asConnected(deps, userId, name, (host, token) => host.branches(token, owner, repository));
}

/**
 * A host's data of the repository at an address, with the person's token if they are connected there; `undefined` for
 * an address at no known host. Throws as `GitHost` does.
 */
export async function repositoryAt(
  deps: TokenDeps,
  userId: string,
  address: { url: string; owner: string; name: string },
): Promise<HostedRepository | undefined> {
  const name = hostAt(deps.gitHosts, address.url);
  if (name === undefined) return undefined;
  const token = await usableToken(deps, userId, name);
  return withoutLogout(deps.gitHosts[name].repository(token ?? null, address.owner, address.name));
}

async function asConnected<T>(
  deps: TokenDeps,
  userId: string,
  name: GitHostName,
  act: (host: GitHost, token: HostToken) => Promise<T>,
): Promise<T> {
  const host = deps.gitHosts[name];
  const token = await usableToken(deps, userId, name);
  if (!token) throw new AppError("invalid_input", `Connect your ${host.label} account first`);
  return withoutLogout(act(host, token));
}

async function withoutLogout<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || !["unauthenticated", "forbidden"].includes(error.code)) throw error;
    throw new AppError("invalid_input", `${error.message}: connect your account again`);
  }
}
