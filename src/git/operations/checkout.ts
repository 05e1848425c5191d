import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import type { Repository } from "../repository.ts";
import { isStaged, isUnstaged, pathStates } from "./working-tree.ts";

/** Files written at a time: each is in memory as a whole. */
const BATCH = 50;

/**
 * Sets the working tree and the index to a commit, and leaves HEAD unchanged. If changed files would be overwritten,
 * throws `conflict` and changes nothing.
 */
export async function checkout(repository: Repository, sha: string): Promise<void> {
  const { at, onProgress } = repository;
  const { deleted, replaced } = await compareWithIndex(repository, sha);
  const target = { ...at, ref: sha, noUpdateHead: true };
  if (replaced.length > 0) {
    await git.checkout({ ...target, dryRun: true });
    await removeReplaced(repository, replaced);
  }
  await git.checkout({
    ...target,
    nonBlocking: true,
    batchSize: BATCH,
    onProgress: ({ phase, loaded, total }) => onProgress({ phase, loaded, total: total ?? null }),
  });
  await removeEmptyParents(repository, deleted);
}

/** Finds files of the index that the commit no longer has, and files that a directory replaces or the reverse. */
async function compareWithIndex(
  { at, files }: Repository,
  sha: string,
): Promise<{ deleted: string[]; replaced: string[] }> {
  const deleted: string[] = [];
  const replaced: string[] = [];
  const index = await files.lstat(".git/index").catch(() => undefined);
  if (!index) return { deleted, replaced };
  const intoFiles: string[] = [];
  await git.walk({
    ...at,
    trees: [git.TREE({ ref: sha }), git.STAGE()],
    map: async (path, [wanted, staged]) => {
      const [to, from] = await Promise.all([wanted?.type(), staged?.type()]);
      if (to === "blob" && from === "tree") intoFiles.push(`${path}/`);
      if (from !== "blob") return;
      if (to === "tree") replaced.push(path);
      if (to === undefined) deleted.push(path);
    },
  });
  replaced.push(...deleted.filter((path) => intoFiles.some((directory) => path.startsWith(directory))));
  return { deleted, replaced };
}

/** Removes replaced entries: isomorphic-git does not put a directory in a file's place, nor the reverse. */
async function removeReplaced(repository: Repository, paths: readonly string[]): Promise<void> {
  const changed = (await pathStates(repository, paths)).find((state) => isStaged(state) || isUnstaged(state));
  if (changed) throw new AppError("conflict", `Local changes would be overwritten: ${changed.path}`);
  for (const path of paths) {
    await git.remove({ ...repository.at, filepath: path });
    await repository.files.unlink(path);
  }
  await removeEmptyParents(repository, paths);
}

/** Git has no empty directories. */
async function removeEmptyParents({ files }: Repository, paths: readonly string[]): Promise<void> {
  const parents = new Set(paths.flatMap(parentsOf));
  const deepestFirst = [...parents].toSorted((a, b) => b.length - a.length);
  // A directory that is not empty, or is gone, stays as it is.
  for (const parent of deepestFirst) await files.rmdir(parent).catch(() => undefined);
}

function parentsOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, depth) => names.slice(0, depth + 1).join("/"));
}
