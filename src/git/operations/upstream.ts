import * as git from "isomorphic-git";
import { z } from "zod";
import type { Repository } from "../repository.ts";

/** Returns the remote branch that a branch follows, such as `origin/main`; undefined for none. */
export async function upstreamOf({ at }: Repository, branch: string): Promise<string | undefined> {
  const [remote, merge] = await Promise.all(
    ["remote", "merge"].map(async (key) =>
      z.string().safeParse(await git.getConfig({ ...at, path: `branch.${branch}.${key}` })),
    ),
  );
  if (!remote?.success || !merge?.success) return undefined;
  return `${remote.data}/${merge.data.replace("refs/heads/", "")}`;
}
