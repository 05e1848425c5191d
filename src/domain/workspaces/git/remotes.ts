import { remoteFor } from "#src/domain/source-control/git-hosts/index.ts";
import { parseRepositoryUrl, type RepositoryAddress } from "#src/domain/source-control/repositories/index.ts";
import type { GitRemote } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { GitDeps, OpenRepository } from "./open-repository.ts";

export const ORIGIN = "origin";

/** The parsed address, if the service may call it. Throws `invalid_input` otherwise. */
export function allowedAddress(deps: Pick<GitDeps, "refusalOfUrl">, url: string): RepositoryAddress {
  const address = parseRepositoryUrl(url);
  const refusal = deps.refusalOfUrl(address.url);
  if (refusal !== undefined) throw new AppError("invalid_input", refusal);
  return address;
}

/**
 * The remote with this name, with the credentials of the person who works on the repository. The repository's
 * configuration is untrusted and decides which credentials are sent, so its address is checked like one that a person
 * enters. Throws `conflict` for an unknown remote.
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

/** The address of `origin`; `undefined` if there is none, or if it is not http(s). */
export async function addressOfOrigin(runtime: ProjectRuntime): Promise<RepositoryAddress | undefined> {
  const remotes = await runtime.git("remotes", {});
  const found = remotes.find(({ name }) => name === ORIGIN);
  try {
    return found && parseRepositoryUrl(withoutUser(found.url));
  } catch {
    return undefined;
  }
}

/** The address without a user name and password from the configuration. */
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
