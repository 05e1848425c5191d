import { noteSync } from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { changingRepository, type GitAccess, type GitDeps, type OpenRepository } from "./open-repository.ts";
import { personOf } from "./queries.ts";
import { namedRemote, ORIGIN } from "./remotes.ts";

/**
 * Commits everything that changed and pushes the current branch to `origin`. If nothing changed, pushes earlier
 * commits. Throws `conflict` when there is nothing to commit or push, when there is no `origin`, and when the push is
 * refused; the message says whether a commit was created, which then stays.
 */
export function commitAndPush(
  deps: GitDeps,
  access: GitAccess,
  message: string,
): Promise<{ branch: string; sha: string }> {
  return changingRepository(deps, access, async (repository) => {
    const remote = await namedRemote(deps, repository, ORIGIN);
    const sha = await commitIfChanged(deps, repository, message);
    try {
      const pushed = await repository.runtime.git("push", { remote, remoteName: ORIGIN, force: false });
      await noteSync(deps.db, repository.project.id, pushed.sha);
      return pushed;
    } catch (error) {
      if (!(error instanceof AppError) || sha === undefined) throw error;
      const { code, message: reason, cause } = error;
      throw new AppError(code, `${reason}. Commit ${sha.slice(0, 7)} was created, but not pushed`, { cause });
    }
  });
}

/** The new commit; `undefined` if nothing changed and older commits are still to be pushed. */
async function commitIfChanged(
  deps: GitDeps,
  { runtime, userId }: OpenRepository,
  message: string,
): Promise<string | undefined> {
  const { changes, ahead, remoteBranch, lastCommit } = await runtime.git("status", {});
  if (changes.length > 0) {
    const author = await personOf(deps.db, userId);
    const { sha } = await runtime.git("commit", { message, author, paths: null });
    return sha;
  }
  const isAhead = ahead > 0 || (remoteBranch === null && lastCommit !== null);
  if (!isAhead) throw new AppError("conflict", "There is nothing to commit and nothing to push");
  return undefined;
}
