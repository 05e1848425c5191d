import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { checkPath } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { requireRepository, type Repository } from "../repository.ts";
import { isUnstaged, pathStates, type PathState } from "./working-tree.ts";

/** Most files, and bytes, added at a time: each file is in memory as a whole, and each batch rewrites the index. */
const BATCH_FILES = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;

/** Stages the changes at these paths, or everywhere. `not_found` for a path without any file that git knows. */
export async function stage(
  repository: Repository,
  { paths }: GitOperations["stage"]["input"],
): Promise<GitOperations["stage"]["output"]> {
  await requireRepository(repository);
  const { at } = repository;
  const wanted = paths?.map(checkPath);
  if (wanted?.length === 0) return { staged: 0 };
  const states = await pathStates(repository, wanted);
  const unknown = wanted?.find((path) => !states.some((state) => isBelow(state.path, path)));
  if (unknown !== undefined) throw new AppError("not_found", `Git finds no file at ${unknown}`);

  const changed = states.filter(isUnstaged);
  const [present, absent] = [changed.filter(isPresent), changed.filter((state) => !isPresent(state))];
  for (const filepath of await batches(repository, present)) {
    // The ignore rules were already checked.
    await git.add({ ...at, filepath, force: true });
  }
  if (absent.length > 0) await git.remove({ ...at, filepath: absent.map(({ path }) => path) });
  return { staged: changed.length };
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

function isPresent({ file }: PathState): boolean {
  return file !== "absent";
}

/** Groups the paths into batches; a large file is a batch of its own. */
async function batches({ files }: Repository, states: readonly PathState[]): Promise<string[][]> {
  const found: string[][] = [];
  let bytes = Infinity;
  for (const { path } of states) {
    const { size } = await files.lstat(path);
    bytes += size;
    const last = found.at(-1);
    if (last && bytes <= BATCH_BYTES && last.length < BATCH_FILES) last.push(path);
    else {
      found.push([path]);
      bytes = size;
    }
  }
  return found;
}
