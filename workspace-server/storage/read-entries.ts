import { closeSync, lstatSync, readFileSync } from "node:fs";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import { isPlainPath } from "#src/lib/project-path.ts";
import { contentOf, openFile } from "../files/project-files.ts";
import { isReserved, isTooLong, parentOf, type ProjectPaths } from "../files/project-paths.ts";
import { kindOf } from "../files/walk.ts";
import { withPermission } from "../files/with-permission.ts";
import { describe } from "./inventory.ts";

/** Files up to this size are read in one step, so that concurrent writes cannot interfere. */
const WHOLE_BYTES = 1024 * 1024;

/** Yields the entries at these paths with their contents; an entry that is gone is left out. */
export async function* readEntries(
  paths: ProjectPaths,
  wanted: readonly string[],
): AsyncGenerator<EntryWithContent, undefined> {
  const directories = new Set([""]);
  for (const path of wanted) {
    if (!isPlainPath(path) || isReserved(path) || isTooLong(path)) continue;
    if (!isDirectory(paths, parentOf(path), directories)) continue;
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

/**
 * Whether a path leads to a directory without passing a link, as the parents in an inventory; a directory that has
 * become a link counts as gone. Each directory is checked once, because a tree may be thousands of levels deep. `known`
 * are those already checked.
 */
function isDirectory(paths: ProjectPaths, path: string, known: Set<string>): boolean {
  const unknown: string[] = [];
  for (let at = path; !known.has(at); at = parentOf(at)) unknown.push(at);
  for (const each of unknown.toReversed()) {
    const stats = lstatSync(paths.absolute(each), { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return false;
    known.add(each);
  }
  return true;
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
