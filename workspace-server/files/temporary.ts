import { randomUUID } from "node:crypto";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { TEMPORARY, type ProjectPaths } from "./project-paths.ts";
import { removeTree } from "./remove-tree.ts";

/**
 * A place for something that is still being made, on the files' own file system, so that it can be moved into place in one
 * step. The directory of these is there only while somebody needs it, and emptied when the server starts.
 */
export function temporaryPlace(paths: ProjectPaths): string {
  const directory = paths.absolute(TEMPORARY);
  mkdirSync(directory, { recursive: true });
  return join(directory, randomUUID());
}

/** Take away what is left at a place, and the directory of these with the last one. */
export async function leaveTemporary(paths: ProjectPaths, place: string): Promise<void> {
  await removeTree(place);
  try {
    rmdirSync(paths.absolute(TEMPORARY));
  } catch {
    // Somebody else still needs it.
  }
}
