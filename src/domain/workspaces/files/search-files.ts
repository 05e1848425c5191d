import type { FileEntry, ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { isNamedAsBinary } from "./binary-names.ts";
import { Pace } from "./pace.ts";
import { isBinary, readContents } from "./read-contents.ts";

/** Directories that are not searched: git and the package manager make them. */
const NEVER_SEARCHED = [".git", "node_modules"];
/** Longest time of a search, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Largest file that is searched, in bytes. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Most bytes that one search reads; all of them pass through the process. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Most characters of a line that are shown. */
const LINE_CHARS = 300;

interface Search {
  /** The text to find, without line breaks. */
  text: string;
  matchCase: boolean;
  /** The directory or file to search; the project when empty. */
  under: string;
  /** Most hits. */
  limit: number;
  signal: AbortSignal;
}

/** A line that contains the text. */
export interface SearchHit {
  path: string;
  /** From 1 on. */
  line: number;
  /** Of the first occurrence in the line, in UTF-16 units, from 1 on. */
  column: number;
  /** The line, cut to its first 300 characters. */
  text: string;
}

/**
 * Finds the lines of a project's text files that contain a text, by path, and stops once enough are found or the time is
 * over; `isTruncated` says that there may be more. Throws as `ProjectFiles.list` does, and the signal's reason.
 */
export async function searchFiles(
  runtime: ProjectFiles & Pick<ProjectStorage, "readEntries">,
  { text, matchCase, under, limit, signal }: Search,
): Promise<{ hits: SearchHit[]; searched: number; isTruncated: boolean }> {
  const pace = new Pace(signal, { timeoutMs: TIMEOUT_MS });
  const [paths, isTooMuch] = chosen(await candidates(runtime, under));
  const pattern = literally(text, matchCase);
  const hits: SearchHit[] = [];
  let searched = 0;
  for await (const { path, bytes } of readContents(runtime, paths, { maxBytes: FILE_BYTES })) {
    if (pace.isDue(bytes?.byteLength ?? 0)) await pace.turn();
    if (pace.isOver) return { hits, searched, isTruncated: true };
    if (!bytes || isBinary(bytes)) continue;
    searched += 1;
    for (const hit of linesWith(pattern, new TextDecoder().decode(bytes))) {
      if (hits.length === limit) return { hits, searched, isTruncated: true };
      hits.push({ path, ...hit });
    }
  }
  return { hits, searched, isTruncated: isTooMuch };
}

async function candidates(runtime: ProjectFiles, under: string): Promise<FileEntry[]> {
  const named = under === "" ? undefined : await runtime.stat(under);
  if (named?.kind === "file") return [named];
  return runtime.list(under, { recursive: true, exclude: NEVER_SEARCHED });
}

/** The files worth reading, up to the limit of one search, and whether there are more. */
function chosen(entries: readonly FileEntry[]): [paths: string[], isTooMuch: boolean] {
  let left = MAX_BYTES;
  const texts = entries.filter(
    ({ kind, name, size }) => kind === "file" && size <= FILE_BYTES && !isNamedAsBinary(name),
  );
  const read = texts.filter(({ size }) => (left -= size) >= 0);
  return [read.map(({ path }) => path), read.length < texts.length];
}

/** A pattern that matches a text only, in time linear in what is searched. */
function literally(text: string, matchCase: boolean): RegExp {
  return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"), matchCase ? "gu" : "giu");
}

/** Each line with a match, once. */
function* linesWith(pattern: RegExp, text: string): Generator<Omit<SearchHit, "path">> {
  let [line, start] = [1, 0];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    for (let next = text.indexOf("\n", start); next !== -1 && next < match.index;) {
      line += 1;
      start = next + 1;
      next = text.indexOf("\n", start);
    }
    const end = text.indexOf("\n", match.index);
    const whole = text.slice(start, end === -1 ? undefined : end).replace(/\r$/u, "");
    yield { line, column: match.index - start + 1, text: cut(whole) };
    if (end === -1) return;
    pattern.lastIndex = end + 1;
  }
}

/** Cut between characters, not within a surrogate pair. */
function cut(line: string): string {
  return line.length <= LINE_CHARS ? line : line.slice(0, LINE_CHARS).replace(/[\uD800-\uDBFF]$/u, "");
}
