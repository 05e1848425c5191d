import * as git from "isomorphic-git";
import { rememberingIgnoreFiles } from "../ignore-files.ts";
import { resolve, type Repository } from "../repository.ts";

/** A path's content in the last commit, the working tree and the index, from isomorphic-git's `statusMatrix`. */
export interface PathState {
  path: string;
  inHead: boolean;
  /** Absent, as in the last commit, or different from it. */
  file: "absent" | "head" | "changed";
  /** Absent, as in the last commit, as in the working tree, or different from both. */
  staged: "absent" | "head" | "file" | "other";
}

const FILE = ["absent", "head", "changed"] as const;
const STAGED = ["absent", "head", "file", "other"] as const;
/** The empty tree, which exists in every repository. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * Returns the state of every path that is not ignored, below `paths` if given. Changes nothing, not even the index.
 * With `base`, the id of a commit, that commit replaces the last one.
 */
export async function pathStates(
  repository: Repository,
  paths?: readonly string[],
  base?: string,
): Promise<PathState[]> {
  const rows = await git.statusMatrix({
    ...repository.at,
    fs: rememberingIgnoreFiles(repository.at.fs),
    ref: base ?? (await resolve(repository, "HEAD")) ?? EMPTY_TREE,
    refresh: false,
    ...(paths && { filepaths: [...paths] }),
  });
  return rows.map(([path, head, file, staged]) => ({
    path,
    inHead: head === 1,
    file: FILE[file],
    staged: STAGED[staged],
  }));
}

/** Whether the file differs from what is staged. */
export function isUnstaged({ file, staged }: PathState): boolean {
  if (file === "absent") return staged !== "absent";
  return staged !== file && !(staged === "file" && file === "changed");
}

/** Whether what is staged differs from the last commit. */
export function isStaged({ inHead, staged }: PathState): boolean {
  return staged === "absent" ? inHead : staged !== "head";
}

/** Returns paths with unresolved conflicts; only a merge, rebase or cherry-pick in progress leaves any. */
export async function conflictedPaths({ at, files }: Repository): Promise<string[]> {
  const inProgress = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
  const there = await Promise.all(
    inProgress.map((name) => files.lstat(`.git/${name}`).catch(() => undefined)),
  );
  if (there.every((entry) => entry === undefined)) return [];
  try {
    // The only function that reports the index's unmerged paths.
    const nobody = { name: "-", email: "-" };
    await git.commit({ ...at, message: "-", author: nobody, committer: nobody, dryRun: true });
    return [];
  } catch (error) {
    if (error instanceof git.Errors.UnmergedPathsError) return error.data.filepaths;
    throw error;
  }
}
