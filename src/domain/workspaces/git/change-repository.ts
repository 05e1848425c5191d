import { normalizePath } from "#src/domain/workspaces/files/index.ts";
import {
  deleteRepository,
  recordRemote,
  repositoryOf,
} from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { branchName } from "./names.ts";
import { changingRepository, type GitAccess, type GitDeps } from "./open-repository.ts";
import { personOf } from "./queries.ts";
import { allowedAddress, namedRemote, ORIGIN } from "./remotes.ts";

/** Creates a repository of a project's files, and sets its remote if one is named. Idempotent. */
export async function initRepository(
  deps: GitDeps,
  access: GitAccess,
  given: { repoUrl?: string | null | undefined; defaultBranch: string },
): Promise<{ branch: string }> {
  const defaultBranch = branchName(given.defaultBranch);
  const address = given.repoUrl ? allowedAddress(deps, given.repoUrl) : undefined;
  return changingRepository(deps, access, async ({ runtime, project, userId }) => {
    const made = await runtime.git("init", { defaultBranch, ...(address && { remoteUrl: address.url }) });
    if (address) await recordRemote(deps.db, { projectId: project.id, userId, address, branch: made.branch });
    return made;
  });
}

/** Stages these paths, or (null) everything that changed. */
export function stageChanges(
  deps: GitDeps,
  access: GitAccess,
  paths: readonly string[] | null,
): Promise<{ staged: number }> {
  const checked = paths?.map(normalizePath) ?? null;
  return changingRepository(deps, access, ({ runtime }) => runtime.git("stage", { paths: checked }));
}

/**
 * Commits these paths, or (null) everything that changed, with the caller as the author. Throws `conflict` when there
 * is nothing to commit.
 */
export function commitChanges(
  deps: GitDeps,
  access: GitAccess,
  { message, paths }: { message: string; paths: readonly string[] | null },
): Promise<{ sha: string }> {
  const checked = paths?.map(normalizePath) ?? null;
  return changingRepository(deps, access, async ({ runtime, userId }) => {
    const author = await personOf(deps.db, userId);
    return runtime.git("commit", { message, author, paths: checked });
  });
}

export function createBranch(
  deps: GitDeps,
  access: GitAccess,
  branch: { name: string; checkout: boolean },
): Promise<{ name: string; checkedOut: boolean }> {
  const name = branchName(branch.name);
  return changingRepository(deps, access, async ({ runtime }) => {
    const { checkedOut } = await runtime.git("createBranch", { name, checkout: branch.checkout });
    return { name, checkedOut };
  });
}

/**
 * Checks out a branch, and fetches it from `origin` if it is not local. Throws `conflict` when local changes would be
 * lost, `not_found` if neither has it, and as `pull` does when the remote fails.
 */
export function switchBranch(deps: GitDeps, access: GitAccess, branch: string): Promise<{ branch: string }> {
  const name = branchName(branch);
  return changingRepository(deps, access, async (repository) => {
    const { runtime } = repository;
    try {
      return await runtime.git("switchBranch", { name });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      const remotes = await runtime.git("remotes", {});
      if (!remotes.some((remote) => remote.name === ORIGIN)) throw error;
    }
    const remote = await namedRemote(deps, repository, ORIGIN);
    await runtime.git("fetch", { remote, remoteName: ORIGIN, branch: name });
    return runtime.git("switchBranch", { name });
  });
}

/**
 * Disconnects a project from its remote, `origin` included; its files and history stay. Idempotent, because the remote
 * is removed before the row. Throws `not_found` for a project without a remote, `conflict` while a clone is in
 * progress.
 */
export function disconnectRepository(deps: GitDeps, access: GitAccess): Promise<void> {
  return changingRepository(deps, access, async ({ runtime, project }) => {
    const { removed } = await runtime.git("removeRemote", { name: ORIGIN });
    if ((await deleteRepository(deps.db, project.id)) || removed) return;
    throw (await repositoryOf(deps.db, project.id))
      ? new AppError("conflict", "The repository is being cloned: wait until the clone ends")
      : new AppError("not_found", "The project is not connected to a repository");
  });
}
