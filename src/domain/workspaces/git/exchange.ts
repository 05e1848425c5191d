import { noteSync } from "#src/domain/source-control/repositories/index.ts";
import { optionalBranchName } from "./names.ts";
import { changingRepository, type GitAccess, type GitDeps } from "./open-repository.ts";
import { personOf } from "./queries.ts";
import { namedRemote, ORIGIN } from "./remotes.ts";

interface Exchange {
  branch?: string | null | undefined;
  /** `origin` when absent. */
  remote?: string | undefined;
}

/**
 * Pushes a branch, the current one by default. Throws `conflict` when the remote has commits that the project lacks
 * (unless forced) or there is no such remote, `invalid_input` when the remote refuses the credentials.
 */
export function push(
  deps: GitDeps,
  access: GitAccess,
  { force, ...asked }: Exchange & { force: boolean },
): Promise<{ branch: string; sha: string }> {
  const branch = optionalBranchName(asked.branch);
  const remoteName = asked.remote ?? ORIGIN;
  return changingRepository(deps, access, async (repository) => {
    const remote = await namedRemote(deps, repository, remoteName);
    const pushed = await repository.runtime.git("push", {
      remote,
      remoteName,
      force,
      ...(branch !== undefined && { branch }),
    });
    await noteSync(deps.db, repository.project.id, pushed.sha);
    return pushed;
  });
}

/**
 * Fetches and merges. A merge conflict is a result, not an error; files and history then stay unchanged. Throws as
 * `push` does.
 */
export function pull(
  deps: GitDeps,
  access: GitAccess,
  asked: Exchange,
): Promise<{ branch: string; sha: string; conflicts: string[] }> {
  const branch = optionalBranchName(asked.branch);
  const remoteName = asked.remote ?? ORIGIN;
  return changingRepository(deps, access, async (repository) => {
    const [remote, author] = await Promise.all([
      namedRemote(deps, repository, remoteName),
      personOf(deps.db, repository.userId),
    ]);
    const pulled = await repository.runtime.git("pull", {
      remote,
      remoteName,
      author,
      ...(branch !== undefined && { branch }),
    });
    if (pulled.conflicts.length === 0) await noteSync(deps.db, repository.project.id, pulled.sha);
    return pulled;
  });
}
