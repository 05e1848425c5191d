import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { checkBranchName, checkRemoteName } from "../names.ts";
import type { GitOperations, GitPerson } from "../protocol.ts";
import { requireBranch, requireRepository, resolve, type Repository } from "../repository.ts";
import { checkout } from "./checkout.ts";
import { fetchBranch } from "./fetch.ts";
import { conflictedPaths } from "./working-tree.ts";

/** Fetches a branch of the remote and merges it into the current branch. */
export async function pull(
  repository: Repository,
  { remote, remoteName, branch: named, author }: GitOperations["pull"]["input"],
): Promise<GitOperations["pull"]["output"]> {
  await requireRepository(repository);
  checkRemoteName(remoteName);
  const branch = await requireBranch(repository);
  const unresolved = await conflictedPaths(repository);
  if (unresolved.length > 0) throw new AppError("conflict", "Resolve the conflicts of the last merge first");

  const remoteBranch = named === undefined ? branch : checkBranchName(named);
  const theirs = await fetchBranch(repository, { remote, remoteName, branch: remoteBranch });
  if (!theirs) throw new AppError("not_found", `The remote has no branch ${remoteBranch}`);
  const ours = await resolve(repository, "HEAD");
  const merged =
    ours === undefined
      ? { sha: theirs.sha, conflicts: [] }
      : await merge(repository, { branch, theirs: theirs.sha, remoteBranch, author });
  if (merged.conflicts.length > 0) return { branch, sha: ours ?? "", conflicts: merged.conflicts };

  if (merged.sha !== ours) {
    // The branch moves last, so that a refused or interrupted pull can be repeated.
    await checkout(repository, merged.sha);
    await git.writeRef({ ...repository.at, ref: `refs/heads/${branch}`, value: merged.sha, force: true });
  }
  return { branch, sha: merged.sha, conflicts: [] };
}

/** Creates the merge commit without moving a branch. */
async function merge(
  { at }: Repository,
  input: { branch: string; theirs: string; remoteBranch: string; author: GitPerson },
): Promise<{ sha: string; conflicts: string[] }> {
  const { branch, theirs, remoteBranch, author } = input;
  const sides = {
    ...at,
    ours: `refs/heads/${branch}`,
    theirs,
    message: `Merge branch '${remoteBranch}' of the remote into ${branch}`,
    author,
    committer: author,
    noUpdateBranch: true,
    abortOnConflict: true,
  };
  const unreadable = await conflictsOf(() =>
    git.merge({ ...sides, dryRun: true, mergeDriver: refuseBinary }),
  );
  const dryRun = unreadable.conflicts.length > 0;
  const merged = await conflictsOf(() => git.merge({ ...sides, dryRun }));
  const conflicts = [...new Set([...unreadable.conflicts, ...merged.conflicts])];
  return { sha: merged.oid ?? theirs, conflicts };
}

async function conflictsOf(
  run: () => Promise<git.MergeResult>,
): Promise<{ oid: string | undefined; conflicts: string[] }> {
  try {
    return { oid: (await run()).oid, conflicts: [] };
  } catch (error) {
    if (!(error instanceof git.Errors.MergeConflictError)) throw error;
    return { oid: undefined, conflicts: error.data.filepaths };
  }
}

/**
 * isomorphic-git merges every file as text, which corrupts binary files: a binary file that both sides changed is a
 * conflict.
 */
const refuseBinary: git.MergeDriverCallback = ({ contents }) => ({
  cleanMerge: !contents.some((content) => /[\0\uFFFD]/u.test(content)),
  mergedText: contents[1] ?? "",
});
