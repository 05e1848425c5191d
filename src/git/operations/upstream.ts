import * as git from "isomorphic-git";
import { z } from "zod";
import type { Repository } from "../repository.ts";

/** The branch of a remote that a branch follows, such as `origin/main`; undefined when it follows none. */
export async function upstreamOf({ at }: Repository, branch: string): Promise<string | undefined> {
  const [remote, merge] = await Promise.all(
    ["remote", "merge"].map(async (key) =>
      z.string().safeParse(await git.getConfig({ ...at, path: `branch.${branch}.${key}` })),
    ),
  );
  if (!remote?.success || !merge?.success) return undefined;
  return `${remote.data}/${merge.data.replace("refs/heads/", "")}`;
}
