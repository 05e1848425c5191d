import { lstatSync, readdirSync, type BigIntStats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { codeOf, fileFailure } from "../file-failure.ts";
import { isReserved, isTooLong, type ProjectPaths } from "./project-paths.ts";
import { withPermission } from "./with-permission.ts";

/** Most entries of one listing. */
const MAX_LISTED = 100_000;
/** Entries before the walk yields to other work. */
const ENTRIES_PER_TURN = 2000;

export type Kind = "file" | "directory" | "symlink";

export interface Found {
  /** Project-relative, without links. */
  path: string;
  kind: Kind;
  stats: BigIntStats;
}

/** Returns the kind of an entry; undefined for sockets, pipes and devices, which are not part of a project. */
export function kindOf(stats: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): Kind | undefined {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "symlink" : undefined;
}

/** Returns the time of the last change, in whole milliseconds. */
export function modifiedAt(stats: BigIntStats): number {
  return Number((stats.mtimeNs + 500_000n) / 1_000_000n);
}

/**
 * Returns what changes with a file's content. The kernel sets the change time at every write and rename, and no program
 * can set it back. Two writes within one tick of its clock (at most 4 ms) that keep the size are not told apart.
 */
export function fileVersion({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join("-");
}

/**
 * Returns the entries below a directory (a resolved path), parents before children, by name, without directories whose
 * name is in `excluded`. Entries that vanish meanwhile are left out, and so are names that are not UTF-8, and paths
 * that are too long, with everything below them: `onTooLong` is called for these. `too_large` above 100,000.
 */
export async function walk(
  paths: ProjectPaths,
  directory: string,
  {
    recursive,
    excluded,
    onTooLong = () => undefined,
  }: { recursive: boolean; excluded: ReadonlySet<string>; onTooLong?: (path: string) => void },
): Promise<Found[]> {
  const found: Found[] = [];
  let sinceTurn = 0;
  const pending = [directory];
  const visit = async (at: string): Promise<void> => {
    for (const name of namesIn(paths.absolute(at), { mayBeGone: at !== directory }).toSorted()) {
      const path = at === "" ? name : `${at}/${name}`;
      if (isReserved(path)) continue;
      if (isTooLong(path)) {
        onTooLong(path);
        continue;
      }
      const stats = statsOf(paths.absolute(path));
      const kind = stats && kindOf(stats);
      if (!stats || !kind || (kind === "directory" && excluded.has(name))) continue;
      if (found.length === MAX_LISTED) throw fileFailure("EFBIG", directory);
      found.push({ path, kind, stats });
      sinceTurn += 1;
      if (sinceTurn % ENTRIES_PER_TURN === 0) await setImmediate();
      if (recursive && kind === "directory") await visit(path);
    }
  };
  for (const at of pending) await visit(at);
  return found;
}

function namesIn(absolute: string, { mayBeGone }: { mayBeGone: boolean }): string[] {
  try {
    return withPermission(absolute, 0o500, () => readdirSync(absolute));
  } catch (error) {
    if (mayBeGone && ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return [];
    throw error;
  }
}

function statsOf(absolute: string) {
  try {
    return lstatSync(absolute, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
