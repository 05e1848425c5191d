import * as git from "isomorphic-git";
import { CommitQueue, openHistory, toGitCommit } from "../history.ts";
import { checkBranchName, checkPath } from "../names.ts";
import type { GitCommit, GitOperations } from "../protocol.ts";
import { requireCommit, requireRepository, resolve, type Repository } from "../repository.ts";
import { resolveRevision } from "../revisions.ts";

const MAX_COMMITS = 1_000;
/** Most commits visited for one path. */
const MAX_VISITED = 10_000;

/** Returns the commits of a branch, of a revision, or of HEAD, newest first; for a path only those that changed it. */
export async function log(
  repository: Repository,
  { branch, revision, path, limit }: GitOperations["log"]["input"],
): Promise<GitOperations["log"]["output"]> {
  await requireRepository(repository);
  const sha = await startOf(repository, branch, revision);
  if (sha === undefined) return { commits: [] };
  const count = Math.min(Math.max(1, limit), MAX_COMMITS);
  if (path === undefined) return { commits: await readCommits(repository, sha, count) };
  return { commits: await commitsOfPath(repository, sha, checkPath(path), count) };
}

async function startOf(
  repository: Repository,
  branch: string | undefined,
  revision: string | undefined,
): Promise<string | undefined> {
  if (revision !== undefined) return resolveRevision(repository, revision);
  return branch === undefined
    ? resolve(repository, "HEAD")
    : requireCommit(repository, checkBranchName(branch));
}

/** Simplifies history as git does: if a commit has a path from one of its parents, only that parent is followed. */
async function commitsOfPath(
  repository: Repository,
  sha: string,
  path: string,
  limit: number,
): Promise<GitCommit[]> {
  const history = await openHistory(repository);
  const pending = new CommitQueue([await history.read(sha)]);
  const found: GitCommit[] = [];
  let visited = 0;
  for (let commit = pending.take(); commit && found.length < limit; commit = pending.take()) {
    visited += 1;
    if (visited > MAX_VISITED) break;
    const [own, parents] = [await history.entryOf(commit, path), await history.parentsOf(commit)];
    const theirs = await Promise.all(parents.map((parent) => history.entryOf(parent, path)));
    const same = parents.find((_, index) => theirs[index] === own);
    if (same) pending.add(same);
    else {
      if (own !== undefined || parents.length > 0) found.push(toGitCommit(commit));
      for (const parent of parents) pending.add(parent);
    }
  }
  return found;
}

export async function readCommits({ at }: Repository, sha: string, limit: number): Promise<GitCommit[]> {
  const entries = await git.log({ ...at, ref: sha, depth: limit });
  return entries.map(toGitCommit);
}
