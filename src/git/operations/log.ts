import * as git from "isomorphic-git";
import { checkBranchName } from "../names.ts";
import type { GitCommit, GitOperations } from "../protocol.ts";
import { requireCommit, requireRepository, resolve, type Repository } from "../repository.ts";

const MAX_COMMITS = 1_000;

/** The commits of a branch, or of what is checked out, newest first. */
export async function log(
  repository: Repository,
  { branch, limit }: GitOperations["log"]["input"],
): Promise<GitOperations["log"]["output"]> {
  await requireRepository(repository);
  const sha =
    branch === undefined
      ? await resolve(repository, "HEAD")
      : await requireCommit(repository, checkBranchName(branch));
  if (sha === undefined) return { commits: [] };
  return { commits: await readCommits(repository, sha, Math.min(Math.max(1, limit), MAX_COMMITS)) };
}

export async function readCommits({ at }: Repository, sha: string, limit: number): Promise<GitCommit[]> {
  const entries = await git.log({ ...at, ref: sha, depth: limit });
  return entries.map(({ oid, commit: { message, author, committer, parent } }) => ({
    sha: oid,
    message,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
    date: new Date(author.timestamp * 1000).toISOString(),
    parents: parent,
  }));
}
