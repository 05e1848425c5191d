import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "#src/lib/errors.ts";
import { asFileFailure, codeOf } from "../file-failure.ts";
import { SWAP, TEMPORARY, type ProjectPaths } from "../files/project-paths.ts";
import { removeTree } from "../files/remove-tree.ts";
import { leaveTemporary, makeTemporary } from "../files/temporary.ts";

/** Inside a staging place: what becomes the project, what was it, and (there once all of that has moved) the word for it. */
const NEW = "new";
const OLD = "old";
const CLEARED = "cleared";

/** A directory that is being filled and can take the place of all files. */
export interface Staged {
  place: string;
  /** Where the new files are made. */
  directory: string;
}

/** A staging place; it is gone after a crash. */
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
 * Put the staged files in place of all that are there. The staging place moving to its fixed name is the decision: before
 * it a crash changes nothing, and after it the next start goes on from wherever this was. Synchronous, so that no other
 * call of this server sees the project in between; the root itself stays the same directory for programs that are in it.
 */
export async function swapIn(paths: ProjectPaths, { place }: Staged): Promise<void> {
  if (!existsSync(join(place, NEW))) throw new AppError("not_found", "Nothing is staged there");
  const swap = paths.absolute(SWAP);
  // Ours never stays: this is a file of the project that happens to have the name.
  if (existsSync(swap)) await removeTree(swap);
  renameSync(place, swap);
  const done = finish(paths);
  await leaveTemporary(paths, done);
}

/** Leave what was staged. */
export function abandon(paths: ProjectPaths, { place }: Staged): Promise<void> {
  return leaveTemporary(paths, place);
}

/** After a start: finish a swap that had been decided, and take away whatever was still being made. */
export async function recover(paths: ProjectPaths): Promise<void> {
  if (existsSync(join(paths.absolute(SWAP), NEW))) finish(paths);
  await removeTree(paths.absolute(TEMPORARY));
}

/** From anywhere after the decision to the end. Answers where the old files are now. */
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

/** Move a directory's children, names of any bytes included, but for the server's own. */
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
      // A directory that may not be written to cannot be moved either: its own entry for its parent changes.
      case "EACCES": {
        const mode = lstatSync(source).mode & 0o7777;
        chmodSync(source, mode | 0o700);
        renameSync(source, target);
        chmodSync(target, mode);
        return;
      }
      // A program made something there just now. It is not of the new files.
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
