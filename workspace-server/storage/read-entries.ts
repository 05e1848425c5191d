import { closeSync, lstatSync, readFileSync } from "node:fs";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import { AppError } from "#src/lib/errors.ts";
import { contentOf, openFile } from "../files/project-files.ts";
import type { ProjectPaths } from "../files/project-paths.ts";
import { kindOf } from "../files/walk.ts";
import { withPermission } from "../files/with-permission.ts";
import { describe } from "./inventory.ts";

/** Files up to this size are read in one step, so that a program that writes one is not in the way. */
const WHOLE_BYTES = 1024 * 1024;

/** The entries at these paths with their contents; one that is gone is left out. */
export async function* readEntries(
  paths: ProjectPaths,
  wanted: readonly string[],
): AsyncGenerator<EntryWithContent, undefined> {
  for (const path of wanted) {
    if (!isItself(paths, path)) continue;
    const absolute = paths.absolute(path);
    const stats = lstatSync(absolute, { bigint: true, throwIfNoEntry: false });
    const kind = stats && kindOf(stats);
    if (!kind) continue;
    if (kind !== "file") {
      const entry = describe(paths, path, kind, stats);
      if (entry) yield { entry, content: bytes([]) };
      continue;
    }
    const file = withPermission(absolute, 0o400, () => openFile(absolute));
    const entry = file && describe(paths, path, kind, file.stats);
    if (!entry) continue;
    if (entry.size <= WHOLE_BYTES) {
      const content = readWhole(file.descriptor);
      yield { entry: { ...entry, size: content.byteLength }, content: bytes([content]) };
    } else {
      const content = contentOf(file.descriptor, entry.size);
      try {
        yield { entry, content };
      } finally {
        content.destroy();
      }
    }
  }
}

/** Whether a path leads through no link, as those of an inventory; one that has become one is gone. */
function isItself(paths: ProjectPaths, path: string): boolean {
  try {
    return path !== "" && paths.resolve(path, { follow: false }) === path;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function readWhole(descriptor: number): Uint8Array {
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function* bytes(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, undefined> {
  yield* chunks;
}
