import { randomUUID } from "node:crypto";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { TEMPORARY, type ProjectPaths } from "./project-paths.ts";
import { removeTree } from "./remove-tree.ts";

/**
 * Makes an empty temporary directory on the files' own file system, so that its contents can be moved into place in one
 * step. It is created together with its parent in one synchronous step; otherwise `leaveTemporary` of another call
 * could remove the empty parent in between.
 */
export function makeTemporary(paths: ProjectPaths): string {
  const place = join(paths.absolute(TEMPORARY), randomUUID());
  mkdirSync(place, { recursive: true, mode: 0o700 });
  return place;
}

/** Removes a temporary directory, and the parent with the last one. */
export async function leaveTemporary(paths: ProjectPaths, place: string): Promise<void> {
  await removeTree(place);
  try {
    rmdirSync(paths.absolute(TEMPORARY));
  } catch {
    // The parent still contains another call's directory.
  }
}
