import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { checkBranchName, checkRemoteName } from "../names.ts";
import type { GitOperations, GitRemote } from "../protocol.ts";
import { requireRepository, type Repository } from "../repository.ts";

/** Fetches one more branch of a remote. */
export async function fetchFromRemote(
  repository: Repository,
  { remote, remoteName, branch }: GitOperations["fetch"]["input"],
): Promise<GitOperations["fetch"]["output"]> {
  await requireRepository(repository);
  checkRemoteName(remoteName);
  // In a repository with its whole history, a depth would truncate that history.
  const isShallow = (await repository.files.lstat(".git/shallow").catch(() => undefined)) !== undefined;
  const fetched = await fetchBranch(repository, {
    remote,
    remoteName,
    branch: checkBranchName(branch),
    ...(isShallow && { depth: 1 }),
  });
  if (!fetched) throw noSuchBranch(branch);
  return { sha: fetched.sha };
}

function noSuchBranch(branch: string | undefined): AppError {
  return new AppError("not_found", `The remote has no branch ${branch}`);
}

/**
 * Fetches one branch of a remote, by default the remote's default branch, with its history or (`depth`) its last
 * commits. Undefined when the remote has no branch at all.
 */
export async function fetchBranch(
  repository: Repository,
  {
    remote,
    remoteName,
    branch,
    depth,
  }: {
    remote: GitRemote;
    remoteName: string;
    branch: string | undefined;
    depth?: number;
  },
): Promise<{ sha: string; branch: string | undefined } | undefined> {
  const { at, onProgress } = repository;
  const over = repository.over(remote);
  try {
    const { fetchHead, defaultBranch } = await git.fetch({
      ...at,
      ...over,
      remote: remoteName,
      // Without an explicit reference the repository's configuration would choose one.
      ref: "HEAD",
      remoteRef: branch === undefined ? "HEAD" : `refs/heads/${branch}`,
      ...(depth !== undefined && { depth }),
      singleBranch: true,
      tags: false,
      onProgress: ({ phase, loaded, total }) => onProgress({ phase, loaded, total: total ?? null }),
    });
    if (fetchHead === null) return undefined;
    // A pack that breaks off between objects may go unnoticed until its commit is read.
    await git.readCommit({ ...at, oid: fetchHead });
    return { sha: fetchHead, branch: branch ?? defaultBranch?.replace("refs/heads/", "") };
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError && error.data.what === `refs/heads/${branch}`) {
      throw noSuchBranch(branch);
    }
    if (error instanceof git.Errors.NoRefspecError) {
      throw new AppError("not_found", `The repository has no remote ${remoteName}`);
    }
    const { InternalError, NotFoundError, ObjectTypeError } = git.Errors;
    const incomplete =
      error instanceof InternalError || error instanceof NotFoundError || error instanceof ObjectTypeError;
    if (!incomplete) throw error;
    throw new AppError("unavailable", "The git host sent incomplete or damaged data", { cause: error });
  }
}
