import {
  chmodSync,
  closeSync,
  fchmodSync,
  futimesSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { AppError } from "#src/lib/errors.ts";
import { isPlainPath } from "#src/lib/project-path.ts";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";
import { asFileFailure } from "../file-failure.ts";
import { baseName, isReserved, parentOf } from "../files/project-paths.ts";

/**
 * Creates entries in an empty directory, with their modes and times. `invalid_input` for a path that leads elsewhere,
 * is repeated, or comes before its parent: entries are created only in directories created here, so no link is ever
 * followed.
 */
export async function stageEntries(
  directory: string,
  entries: AsyncIterable<EntryWithContent>,
): Promise<void> {
  const kinds = new Map<string, StoredEntry["kind"]>([["", "directory"]]);
  const directories: StoredEntry[] = [];
  for await (const { entry, content } of entries) {
    checkPath(entry.path);
    if (kinds.has(entry.path) || kinds.get(parentOf(entry.path)) !== "directory") {
      throw new AppError(
        "invalid_input",
        `"${entry.path.slice(0, 300)}": its directory is missing, or the path is repeated`,
      );
    }
    kinds.set(entry.path, entry.kind);
    const place = join(directory, entry.path);
    try {
      if (entry.kind === "file") await makeFile(place, entry, content);
      else if (entry.kind === "symlink") makeLink(place, entry);
      else {
        mkdirSync(place, 0o700);
        directories.push(entry);
      }
    } catch (error) {
      throw asFileFailure(error, entry.path);
    }
  }
  // Children first: creating an entry changes the time of its directory, and the directory's mode may forbid it.
  for (const { path, mode, modifiedAt } of directories.toReversed()) {
    const place = join(directory, path);
    lutimesSync(place, modifiedAt / 1000, modifiedAt / 1000);
    chmodSync(place, mode & 0o777);
  }
}

/**
 * Synchronous except for the arriving bytes: a file system call takes microseconds, a turn of the event loop ten of
 * them.
 */
async function makeFile(
  place: string,
  { path, size, mode, modifiedAt }: StoredEntry,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const descriptor = openSync(place, "wx", 0o600);
  try {
    let written = 0;
    for await (const chunk of content) written += writeWhole(descriptor, chunk);
    if (written !== size)
      throw new AppError("invalid_input", `"${path.slice(0, 300)}": the size does not match`);
    fchmodSync(descriptor, mode & 0o777);
    futimesSync(descriptor, modifiedAt / 1000, modifiedAt / 1000);
  } finally {
    closeSync(descriptor);
  }
}

function makeLink(place: string, { target, modifiedAt }: StoredEntry): void {
  if (target === "" || target.includes("\0")) throw new AppError("invalid_input", "A link without a target");
  symlinkSync(target, place);
  lutimesSync(place, modifiedAt / 1000, modifiedAt / 1000);
}

function writeWhole(descriptor: number, chunk: Uint8Array): number {
  let written = 0;
  while (written < chunk.byteLength) written += writeSync(descriptor, chunk, written);
  return written;
}

function checkPath(path: string): void {
  if (!isPlainPath(path) || isReserved(path)) {
    throw new AppError("invalid_input", `"${path.slice(0, 300)}": not a path below the project`);
  }
  if (Buffer.byteLength(baseName(path)) > 255) {
    throw new AppError("invalid_input", `"${path.slice(0, 300)}": file name too long`);
  }
}
