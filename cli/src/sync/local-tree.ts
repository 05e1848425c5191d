import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, readdir, readFile, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { hasCode, isMissing } from "../session/private-file.ts";
import { IGNORE_FILES, type IgnoreRules } from "./ignore-rules.ts";
import { isOwnFolder } from "./paths.ts";

/** What changes with a file's content, as far as the file system tells. */
export interface Stamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

export interface LocalTree {
  /** Files that are not ignored, by their path with `/`, relative to the folder. */
  readonly files: ReadonlyMap<string, Stamp>;
  /** Links, pipes and the like: they are neither read nor replaced. */
  readonly others: ReadonlySet<string>;
}

/** Without O_NONBLOCK, opening a pipe would wait for its writer. Windows has neither flag. */
const OPEN_TO_READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a folder without following links. The ignore files on the way are added to `rules`. */
export async function readLocalTree(root: string, rules: IgnoreRules): Promise<LocalTree> {
  const files = new Map<string, Stamp>();
  const others = new Set<string>();
  const visit = async (folder: string): Promise<void> => {
    for (const name of IGNORE_FILES) {
      const text = await readIgnoreFile(path.join(root, folder, name));
      if (text !== undefined) rules.add(folder, text);
    }
    const entries = await readdir(path.join(root, folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isOwnFolder(entry.name) || rules.ignores(entry.isDirectory() ? `${below}/` : below)) continue;
      if (entry.isDirectory()) await visit(below);
      else if (!entry.isFile()) others.add(below);
      else {
        const stats = await statsOf(path.join(root, below));
        if (stats?.isFile()) files.set(below, stampOf(stats));
      }
    }
  };
  await visit("");
  return { files, others };
}

async function readIgnoreFile(file: string): Promise<string | undefined> {
  // A link could lead out of the folder.
  if (!(await statsOf(file))?.isFile()) return undefined;
  return readFile(file, "utf8");
}

/** Of the entry itself; undefined when there is none. */
export async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (isMissing(error) || hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): Stamp {
  return { size, mtimeMs, ctimeMs, ino };
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}

/** Opens a file, not what a link leads to. */
export async function openLocal(file: string): Promise<FileHandle> {
  const handle = await open(file, OPEN_TO_READ);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error("not a file");
}

/** The SHA-256 of a file's content, and what it was taken of. */
export async function hashLocal(file: string): Promise<{ hash: string; stamp: Stamp }> {
  const handle = await openLocal(file);
  try {
    const stamp = stampOf(await handle.stat());
    const hash = createHash("sha256");
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return { hash: hash.digest("hex"), stamp };
  } finally {
    await handle.close();
  }
}
