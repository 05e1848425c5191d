import { remoteFor } from "#src/domain/source-control/git-hosts/index.ts";
import { parseRepositoryUrl, type RepositoryAddress } from "#src/domain/source-control/repositories/index.ts";
import type { GitRemote } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { GitDeps, OpenRepository } from "./open-repository.ts";

export const ORIGIN = "origin";

/** An address that the service may speak to. Throws `invalid_input` where it may not. */
export function allowedAddress(deps: Pick<GitDeps, "refusalOfUrl">, url: string): RepositoryAddress {
  const address = parseRepositoryUrl(url);
  const refusal = deps.refusalOfUrl(address.url);
  if (refusal !== undefined) throw new AppError("invalid_input", refusal);
  return address;
}

/**
 * The remote of this name as git is to reach it for whoever works on the repository. What the repository's configuration
 * says is anybody's text: it is checked like an address that a person gives, and decides which credentials are sent. Throws
 * `conflict` for a name that no remote has.
 */
export async function namedRemote(
  deps: GitDeps,
  { runtime, userId }: Pick<OpenRepository, "runtime" | "userId">,
  name: string,
): Promise<GitRemote> {
  const remotes = await runtime.git("remotes", {});
  const found = remotes.find((remote) => remote.name === name);
  if (!found) throw new AppError("conflict", `The repository has no remote named ${quoted(name)}`);
  const { url } = allowedAddress(deps, withoutUser(found.url));
  return remoteFor(deps, { userId, url });
}

/** Where `origin` is; `undefined` without one, or for one that is not http(s). */
export async function originOf(runtime: ProjectRuntime): Promise<RepositoryAddress | undefined> {
  const remotes = await runtime.git("remotes", {});
  const found = remotes.find(({ name }) => name === ORIGIN);
  try {
    return found && parseRepositoryUrl(withoutUser(found.url));
  } catch {
    return undefined;
  }
}

/** The address without a user name and password that a person may have put into the configuration. */
function withoutUser(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  url.username = "";
  url.password = "";
  return url.href;
}

function quoted(name: string): string {
  return /^[\w./-]{1,100}$/u.test(name) ? `\`${name}\`` : "that";
}
