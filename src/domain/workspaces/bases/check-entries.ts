import type { TarHeader } from "modern-tar";
import { unpackEntries } from "#src/domain/workspaces/archives/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";

/** The most entries of a project. */
const MAX_ENTRIES = 100_000;

/** Longest file name and path, in UTF-8 bytes, as on common file systems. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4096;

/**
 * The entries of an untrusted tar archive that a project can have, parents before children. Throws `invalid_input` for
 * paths and links that lead out of the archive, devices, hard links, duplicate paths, entries below a file or a link,
 * and data that is not a tar archive.
 */
export async function* checkedEntries(
  archive: ReadableStream<Uint8Array>,
): AsyncGenerator<EntryWithContent, void, undefined> {
  const kinds = new Map<string, StoredEntry["kind"]>();
  const add = (path: string, kind: StoredEntry["kind"]) => {
    if (kinds.size >= MAX_ENTRIES) throw refused(`it has more than ${MAX_ENTRIES} entries`);
    kinds.set(path, kind);
  };
  for await (const { header, content } of readable(unpackEntries(archive))) {
    const entry = entryOf(header);
    if (entry.path === "") continue;
    // The parents of a path of 2,000 names are 4 MB of text, so a known parent is checked first.
    const isKnown = kinds.get(entry.path.slice(0, entry.path.lastIndexOf("/"))) === "directory";
    for (const parent of isKnown ? [] : parentsOf(entry.path)) {
      const kind = kinds.get(parent);
      if (kind === "directory") continue;
      if (kind !== undefined) throw refused(`${entry.path} is inside a ${kind}`);
      add(parent, "directory");
      yield { entry: directory(parent, entry.modifiedAt), content: nothing() };
    }
    const before = kinds.get(entry.path);
    if (before === "directory" && entry.kind === "directory") continue;
    if (before !== undefined) throw refused(`${entry.path} appears twice`);
    add(entry.path, entry.kind);
    yield { entry, content: readable(content) };
  }
}

/** Reads the archive; a failure to read is the sender's error. */
async function* readable<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid_input", "The archive is not a tar archive, or is incomplete", { cause });
  }
}

function entryOf(header: TarHeader): StoredEntry {
  const path = pathOf(header.name);
  const modifiedAt = header.mtime?.getTime() ?? 0;
  const mode = (header.mode ?? 0) & 0o777;
  const { type = "file", size, linkname: target = "" } = header;
  if (type === "file") return { path, kind: type, size, mode: mode | 0o600, modifiedAt, target: "" };
  if (type === "directory") return { ...directory(path, modifiedAt), mode: mode | 0o700 };
  if (type !== "symlink") throw refused(`${path} is not a file, a directory or a symbolic link`);
  if (!staysInside(path, target)) throw refused(`the link ${path} points outside the archive`);
  return { path, kind: type, size: 0, mode: 0o777, modifiedAt, target };
}

const directory = (path: string, modifiedAt: number): StoredEntry => ({
  path,
  kind: "directory",
  size: 0,
  mode: 0o755,
  modifiedAt,
  target: "",
});

async function* nothing(): AsyncGenerator<Uint8Array> {}

function pathOf(name: string): string {
  if (name.startsWith("/")) throw refused("it has absolute paths");
  const names = name.split("/").filter((each) => each !== "" && each !== ".");
  const path = names.join("/");
  if (names.includes("..")) throw refused("it has paths with `..`");
  if (/[\0\\]/u.test(path) || !path.isWellFormed() || path.includes("\uFFFD")) {
    throw refused("it has paths that are not plain UTF-8 text");
  }
  const tooLong = names.some((each) => bytesOf(each) > MAX_NAME_BYTES) || bytesOf(path) > MAX_PATH_BYTES;
  if (tooLong) throw refused("it has a path that is too long");
  return path;
}

/** The directories above a path, from the top. */
function parentsOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/**
 * Whether a link stays inside the tree regardless of other links in it: its target goes up first, at most to the root,
 * and then only down.
 */
export function staysInside(path: string, target: string): boolean {
  if (target === "" || target.startsWith("/") || target.includes("\0") || bytesOf(target) > MAX_PATH_BYTES) {
    return false;
  }
  const names = target.split("/").filter((name) => name !== "" && name !== ".");
  const down = names.findIndex((name) => name !== "..");
  const up = down === -1 ? names.length : down;
  return up <= parentsOf(path).length && !names.slice(up).includes("..");
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function refused(what: string): AppError {
  return new AppError("invalid_input", `The archive cannot be used: ${what}`);
}
