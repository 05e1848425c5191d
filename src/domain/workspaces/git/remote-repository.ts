import { repositoryAt } from "#src/domain/source-control/git-hosts/index.ts";
import type { RepositoryAddress } from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { HostedRepository } from "#src/platform/git-hosts/git-host.ts";
import { readingRepository, type GitAccess, type GitDeps } from "./open-repository.ts";
import { addressOfOrigin } from "./remotes.ts";

/** The host's data of the repository at `origin`. */
export type RemoteRepository =
  | { kind: "no_remote" }
  /** At no known host: only the address is known. */
  | { kind: "unknown"; origin: RepositoryAddress }
  | { kind: "known"; origin: RepositoryAddress; repository: HostedRepository }
  /** The host failed; `message` is the reason. */
  | { kind: "failed"; origin: RepositoryAddress; message: string; status: number };

export function describeRemoteRepository(deps: GitDeps, access: GitAccess): Promise<RemoteRepository> {
  return readingRepository(deps, access, async ({ runtime, userId }) => {
    const origin = await addressOfOrigin(runtime);
    if (!origin) return { kind: "no_remote" };
    try {
      const repository = await repositoryAt(deps, userId, origin);
      return repository ? { kind: "known", origin, repository } : { kind: "unknown", origin };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { kind: "failed", origin, message: error.message, status: error.status };
    }
  });
}
