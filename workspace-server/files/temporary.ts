import { randomUUID } from "node:crypto";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { TEMPORARY, type ProjectPaths } from "./project-paths.ts";
import { removeTree } from "./remove-tree.ts";

/**
 * Make an empty directory for something that is still being made, on the files' own file system, so that it can be moved into
 * place in one step. It is made together with the directory of all these, in one synchronous step: one that is only about to
 * be made would not keep `leaveTemporary` of another call from removing the directory that holds it.
 */
export function makeTemporary(paths: ProjectPaths): string {
  const place = join(paths.absolute(TEMPORARY), randomUUID());
  mkdirSync(place, { recursive: true, mode: 0o700 });
  return place;
}

/** Remove what is left at a place, and the directory of these with the last one. */
export async function leaveTemporary(paths: ProjectPaths, place: string): Promise<void> {
  await removeTree(place);
  try {
    rmdirSync(paths.absolute(TEMPORARY));
  } catch {
    // Another call's place is still in it.
  }
}
