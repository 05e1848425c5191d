import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";
import { bytesOf, same } from "./bytes.ts";

const MODES = { file: 0o644, directory: 0o755, symlink: 0o777 };

/** An entry as a snapshot holds it. */
export function entryOf(
  path: string,
  /** Of a file, or where a link leads, or `directory/`. */
  content: string | Uint8Array | { target: string },
  changes: Partial<StoredEntry> = {},
): EntryWithContent {
  const kind = content === "directory/" ? "directory" : isLink(content) ? "symlink" : "file";
  const bytes = kind === "file" && !isLink(content) ? toBytes(content) : new Uint8Array();
  const entry: StoredEntry = {
    path,
    kind,
    size: bytes.length,
    mode: MODES[kind],
    modifiedAt: 1_700_000_000_000,
    target: isLink(content) ? content.target : "",
    ...changes,
  };
  return { entry, content: piecesOf(bytes) };
}

/** Entries one after the other; `fails` is thrown after the last. */
export async function* inTurn(
  entries: Iterable<EntryWithContent>,
  fails?: Error,
): AsyncGenerator<EntryWithContent> {
  yield* entries;
  if (fails) throw fails;
}

export interface ReadEntry {
  entry: StoredEntry;
  bytes: Uint8Array;
}

/** What the runtime hands out for these paths. */
export async function readAll(runtime: ProjectRuntime, paths: readonly string[]): Promise<ReadEntry[]> {
  const read: ReadEntry[] = [];
  for await (const { entry, content } of await runtime.readEntries(paths)) {
    const bytes = new Uint8Array(entry.size);
    let filled = 0;
    for await (const chunk of content) {
      bytes.set(chunk, filled);
      filled += chunk.length;
    }
    read.push({ entry, bytes });
  }
  return read;
}

/** What does not agree between two lists of entries; paths only, since contents are megabytes. */
export function differences(actual: readonly ReadEntry[], expected: readonly ReadEntry[]): string[] {
  const byPath = new Map(actual.map((each) => [each.entry.path, each]));
  const differing = expected.filter(({ entry, bytes }) => {
    const found = byPath.get(entry.path);
    return !found || JSON.stringify(found.entry) !== JSON.stringify(entry) || !same(found.bytes, bytes);
  });
  const missing = actual.length === expected.length ? [] : [`${actual.length} of ${expected.length} entries`];
  return [...differing.map(({ entry }) => entry.path), ...missing];
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000_000) yield bytes.slice(at, at + 1_000_000);
}

function isLink(content: string | Uint8Array | { target: string }): content is { target: string } {
  return typeof content === "object" && "target" in content;
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? bytesOf(content) : content;
}
