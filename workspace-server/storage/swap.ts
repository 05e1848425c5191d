import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "#src/lib/errors.ts";
import { asFileFailure, codeOf } from "../file-failure.ts";
import { SWAP, TEMPORARY, type ProjectPaths } from "../files/project-paths.ts";
import { removeTree } from "../files/remove-tree.ts";
import { leaveTemporary, makeTemporary } from "../files/temporary.ts";

/**
 * Names inside a staging place: the new project, the old one, and a marker that exists once all new files have moved.
 */
const NEW = "new";
const OLD = "old";
const CLEARED = "cleared";

/** A directory that is being filled and can replace all files. */
export interface Staged {
  place: string;
  /** Directory of the new files. */
  directory: string;
}

/** Makes a staging place; a crash removes it. */
export function beginStaging(paths: ProjectPaths): Staged {
  try {
    const place = makeTemporary(paths);
    for (const name of [NEW, OLD]) mkdirSync(join(place, name), 0o700);
    return { place, directory: join(place, NEW) };
  } catch (error) {
    throw asFileFailure(error, "");
  }
}

/**
 * Replaces all files by the staged ones. Moving the staging place to its fixed name is the commit: before it a crash
 * changes nothing, and after it the next start continues from there. Synchronous, so that no other call of this server
 * sees the project in between; the root itself stays the same directory for programs that are in it.
 */
export async function swapIn(paths: ProjectPaths, { place }: Staged): Promise<void> {
  if (!existsSync(join(place, NEW))) throw new AppError("not_found", "Nothing is staged there");
  const swap = paths.absolute(SWAP);
  // The server's own directory of this name never remains: this is a file of the project with the same name.
  if (existsSync(swap)) await removeTree(swap);
  renameSync(place, swap);
  const done = finish(paths);
  await leaveTemporary(paths, done);
}

/** Discards the staged files. */
export function abandon(paths: ProjectPaths, { place }: Staged): Promise<void> {
  return leaveTemporary(paths, place);
}

/** After a start: completes a committed swap, and removes unfinished staging places. */
export async function recover(paths: ProjectPaths): Promise<void> {
  if (existsSync(join(paths.absolute(SWAP), NEW))) finish(paths);
  await removeTree(paths.absolute(TEMPORARY));
}

/** Completes a swap from any point after the commit. Returns where the old files are now. */
function finish(paths: ProjectPaths): string {
  const swap = paths.absolute(SWAP);
  const cleared = join(swap, CLEARED);
  if (!existsSync(cleared)) {
    mkdirSync(join(swap, OLD), { recursive: true });
    moveAll(paths.root, join(swap, OLD));
    mkdirSync(cleared);
  }
  moveAll(join(swap, NEW), paths.root);
  const done = makeTemporary(paths);
  renameSync(swap, done);
  return done;
}

/** Moves a directory's children, including names of any bytes, but not the server's own directory. */
function moveAll(from: string, to: string): void {
  for (const name of readdirSync(from, { encoding: "buffer" })) {
    if (name.equals(Buffer.from(SWAP)) || name.equals(Buffer.from(TEMPORARY))) continue;
    const source = Buffer.concat([Buffer.from(`${from}/`), name]);
    const target = Buffer.concat([Buffer.from(`${to}/`), name]);
    move(source, target);
  }
}

function move(source: Buffer, target: Buffer): void {
  try {
    renameSync(source, target);
  } catch (error) {
    switch (codeOf(error) ?? "") {
      // A directory without write permission cannot be moved either, because its entry for its parent changes.
      case "EACCES": {
        const mode = lstatSync(source).mode & 0o7777;
        chmodSync(source, mode | 0o700);
        renameSync(source, target);
        chmodSync(target, mode);
        return;
      }
      // A program created an entry there just now, which is not one of the new files.
      case "ENOTEMPTY":
      case "EEXIST":
      case "EISDIR":
      case "ENOTDIR":
        rmSync(target, { recursive: true, force: true });
        renameSync(source, target);
        return;
      default:
        throw error;
    }
  }
}
