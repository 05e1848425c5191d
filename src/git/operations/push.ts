import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { checkBranchName, checkRemoteName } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { requireBranch, requireCommit, requireRepository, type Repository } from "../repository.ts";
import { setUpstream } from "./init.ts";
import { upstreamOf } from "./upstream.ts";

/** Most characters kept of a host's reason for refusing a push. */
const MAX_REASON = 200;

/** Pushes a branch to the branch of the same name. */
export async function push(
  repository: Repository,
  { remote, remoteName, branch, force }: GitOperations["push"]["input"],
): Promise<GitOperations["push"]["output"]> {
  await requireRepository(repository);
  checkRemoteName(remoteName);
  const name = branch === undefined ? await requireBranch(repository) : checkBranchName(branch);
  const sha = await requireCommit(repository, name);
  const ref = `refs/heads/${name}`;
  try {
    await git.push({
      ...repository.at,
      ...repository.over(remote),
      remote: remoteName,
      ref,
      remoteRef: ref,
      force,
    });
  } catch (error) {
    if (!(error instanceof git.Errors.GitPushError)) throw error;
    const reason = (error.data.result.refs[ref]?.error ?? "").replaceAll(/[^\p{L}\p{N}\p{P} ]/gu, "");
    throw new AppError("conflict", `The git host refused the push: ${reason.slice(0, MAX_REASON)}`);
  }
  if ((await upstreamOf(repository, name)) === undefined)
    await setUpstream(repository, name, remoteName, name);
  return { branch: name, sha };
}
