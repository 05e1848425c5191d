import * as git from "isomorphic-git";
import { checkPath } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { resolve, type Repository } from "../repository.ts";
import { resolveRevision } from "../revisions.ts";
import { EMPTY_TREE, pathStates } from "./working-tree.ts";

type Content = () => Promise<Uint8Array>;

/** A path whose content differs between two states of the files; undefined on the side where it is absent. */
export interface ChangedPath {
  path: string;
  before: Content | undefined;
  after: Content | undefined;
}

/** Returns the differences between the two requested states, by path. */
export async function changedPaths(
  repository: Repository,
  { path, staged, base, target }: GitOperations["diff"]["input"],
): Promise<ChangedPath[]> {
  const below = path === undefined ? undefined : checkPath(path);
  const from =
    base === undefined ? await resolve(repository, "HEAD") : await resolveRevision(repository, base);
  const ref = from ?? EMPTY_TREE;
  if (target !== undefined) {
    const to = await resolveRevision(repository, target);
    return betweenTrees(repository, git.TREE({ ref }), git.TREE({ ref: to }), below);
  }
  if (staged) return betweenTrees(repository, git.TREE({ ref }), git.STAGE(), below);
  return workingChanges(repository, ref, below);
}

/** Returns what git would commit of the current files. */
async function workingChanges(
  repository: Repository,
  ref: string,
  below: string | undefined,
): Promise<ChangedPath[]> {
  const states = await pathStates(repository, below === undefined ? undefined : [below], ref);
  return states
    .filter(({ inHead, file }) => (file === "absent" ? inHead : file === "changed"))
    .map(({ path, inHead, file }) => ({
      path,
      before: inHead ? () => readCommitted(repository, ref, path) : undefined,
      after: file === "absent" ? undefined : () => readWorking(repository, path),
    }));
}

async function betweenTrees(
  { at }: Repository,
  before: git.Walker,
  after: git.Walker,
  below: string | undefined,
): Promise<ChangedPath[]> {
  const changed: ChangedPath[] = [];
  const readBlob = (oid: string): Content => {
    return async () => (await git.readBlob({ ...at, oid })).blob;
  };
  await git.walk({
    ...at,
    trees: [before, after],
    // Null keeps the walk out of a directory.
    map: async (path, [one, other]) => {
      if (path === ".") return undefined;
      if (below !== undefined && !isRelated(path, below)) return null;
      const [old, recent] = await Promise.all([idOf(one), idOf(other)]);
      if (old.tree !== undefined && old.tree === recent.tree) return null;
      if (old.blob !== recent.blob && (below === undefined || isAtOrBelow(path, below))) {
        changed.push({
          path,
          before: old.blob === undefined ? undefined : readBlob(old.blob),
          after: recent.blob === undefined ? undefined : readBlob(recent.blob),
        });
      }
      return undefined;
    },
  });
  return changed.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns an entry's id; undefined for directories of the index and for nested repositories. */
async function idOf(
  entry: git.WalkerEntry | null | undefined,
): Promise<{ tree?: string | undefined; blob?: string | undefined }> {
  if (!entry) return {};
  const type = await entry.type();
  if (type === "tree") return { tree: await entry.oid() };
  return type === "blob" ? { blob: await entry.oid() } : {};
}

function isAtOrBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/** Whether a path is in a directory, or one of its parents. */
function isRelated(path: string, directory: string): boolean {
  return isAtOrBelow(path, directory) || directory.startsWith(`${path}/`);
}

async function readCommitted({ at }: Repository, oid: string, filepath: string): Promise<Uint8Array> {
  return (await git.readBlob({ ...at, oid, filepath })).blob;
}

export async function readWorking({ files }: Repository, path: string): Promise<Uint8Array> {
  const { kind } = await files.lstat(path);
  if (kind === "symlink") return new TextEncoder().encode(await files.readlink(path));
  return files.readFile(path);
}
