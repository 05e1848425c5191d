import * as git from "isomorphic-git";
import type { GitOperations } from "../protocol.ts";
import { currentBranch, requireRepository, resolve, type Repository } from "../repository.ts";
import { upstreamOf } from "./upstream.ts";

/** Returns the repository's local branches that have a commit. */
export async function branches(
  repository: Repository,
  _input: GitOperations["branches"]["input"],
): Promise<GitOperations["branches"]["output"]> {
  await requireRepository(repository);
  const names = await git.listBranches({ ...repository.at });
  const known = await Promise.all(
    names.map(async (name) => {
      const sha = await resolve(repository, `refs/heads/${name}`);
      return sha === undefined ? [] : [{ name, sha, remote: (await upstreamOf(repository, name)) ?? null }];
    }),
  );
  return { current: (await currentBranch(repository)) ?? null, branches: known.flat() };
}
