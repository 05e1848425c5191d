import { isBinary, isNamedAsBinary, readContents, type Pace } from "#src/domain/workspaces/files/index.ts";
import type { AgentRuntime, FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { TEXT_FILE_BYTES } from "../text-file.ts";
import { LIST_CHARS } from "./fit.ts";
import { searchText, type SearchFor, type TextMatches } from "./search-text.ts";

/** Most bytes that one search reads; all of them pass through the process. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Longest line that is shown whole. */
const LINE_CHARS = 400;

export type GrepMode = "files_with_matches" | "count" | "content";

export interface GrepOutput {
  mode: GrepMode;
  /** Lines of context. */
  before: number;
  after: number;
  numbers: boolean;
  /** Number of files, or lines of content, to skip, and then most to return. */
  offset: number;
  limit: number;
}

export interface GrepFindings {
  /** Number of files, or of matching lines, that were found. */
  total: number;
  /** Number of files that could not be read: deleted meanwhile, or behind a link. */
  unreadable: number;
  report: { truncated: boolean; suggestion?: string; [field: string]: unknown };
}

/** Searches files one after the other, and stops once enough is found. */
export async function grepFiles(
  { runtime, pace }: { runtime: AgentRuntime; pace: Pace },
  files: readonly FileEntry[],
  search: SearchFor,
  output: GrepOutput,
): Promise<GrepFindings> {
  const [searchable, plan] = choose(files);
  const rows = new Rows(output);
  let [searched, cut, isOver] = [0, 0, false];
  const paths = searchable.map(({ path }) => path);
  for await (const { path, bytes } of readContents(runtime, paths, { maxBytes: TEXT_FILE_BYTES })) {
    searched += 1;
    if (!bytes || isBinary(bytes)) {
      plan.binary += 1;
      continue;
    }
    const found = await searchText(new TextDecoder().decode(bytes), search, pace, rows.matchesWanted);
    if (found.isPartial) cut += 1;
    rows.add(path, found);
    isOver = pace.isOver;
    if (isOver || rows.isFull) break;
  }
  const stopped = isOver || plan.tooMuch > 0;
  const unreadable = stopped || rows.isFull ? 0 : searchable.length - searched;
  const details = {
    files_searched: searched,
    skipped_binary: plan.binary,
    skipped_large: plan.large,
    ...(plan.tooMuch > 0 && { not_searched: plan.tooMuch }),
    ...(cut > 0 && { partly_searched: cut }),
    ...(unreadable > 0 && { unreadable }),
  };
  const shown = rows.finish();
  const truncated = shown.truncated || stopped;
  return {
    total: shown.total,
    unreadable,
    report: {
      ...shown.fields,
      ...(truncated && { suggestion: hint(shown.truncated, isOver) }),
      truncated,
      ...(shown.truncated && { next_offset: output.offset + shown.rows }),
      details,
    },
  };
}

function hint(hasMore: boolean, isOver: boolean): string {
  if (hasMore) return "Narrow the search, or read on with offset: next_offset.";
  return isOver
    ? "The search ran out of time: narrow it with path, glob or type."
    : "There is more text than one search reads: narrow it with path, glob or type.";
}

interface Plan {
  binary: number;
  large: number;
  tooMuch: number;
}

/** Returns the files worth reading, up to the byte limit of one search. */
function choose(files: readonly FileEntry[]): [FileEntry[], Plan] {
  const plan: Plan = { binary: 0, large: 0, tooMuch: 0 };
  let left = MAX_BYTES;
  const chosen = files.filter(({ name, size }) => {
    if (isNamedAsBinary(name)) plan.binary += 1;
    else if (size > TEXT_FILE_BYTES) plan.large += 1;
    else {
      left -= size;
      if (left >= 0) return true;
      plan.tooMuch += 1;
    }
    return false;
  });
  return [chosen, plan];
}

/** Collects the rows to show. */
class Rows {
  readonly #output: GrepOutput;
  readonly #shown: { path: string; count: number; lines: string[] }[] = [];
  #toSkip: number;
  #rows = 0;
  #chars = 0;
  #total = 0;
  #hasMore = false;

  constructor(output: GrepOutput) {
    this.#output = output;
    this.#toSkip = output.offset;
  }

  get isFull(): boolean {
    return this.#hasMore;
  }

  /** Number of matches in the next file that can still change the result. */
  get matchesWanted(): number {
    const { mode, limit } = this.#output;
    if (mode === "count") return Infinity;
    return mode === "content" ? this.#toSkip + limit - this.#rows + 1 : 1;
  }

  add(path: string, found: TextMatches): void {
    if (found.matched.length === 0) return;
    const { mode } = this.#output;
    if (mode === "content") this.#addLines(path, found);
    else {
      this.#total += 1;
      if (this.#takes(path.length + 20)) this.#shown.push({ path, count: found.count, lines: [] });
    }
  }

  finish() {
    const { mode } = this.#output;
    const fields =
      mode === "files_with_matches"
        ? { files: this.#shown.map(({ path }) => path) }
        : mode === "count"
          ? { counts: this.#shown.map(({ path, count }) => ({ file_path: path, count })) }
          : { matches: this.#shown.map(({ path, lines }) => ({ file_path: path, lines })) };
    return { fields, total: this.#total, rows: this.#rows, truncated: this.#hasMore };
  }

  #addLines(path: string, { lines, matched }: TextMatches): void {
    const { before, after, numbers } = this.#output;
    const matches = new Set(matched);
    const group = { path, count: 0, lines: [] as string[] };
    for (const index of withContext(matched, lines.length, before, after)) {
      const isMatch = matches.has(index);
      if (isMatch) this.#total += 1;
      const text = shorten(lines[index] ?? "");
      const line = numbers ? `${index + 1}${isMatch ? ":" : "-"}${text}` : text;
      if (this.#takes(line.length + 4)) group.lines.push(line);
      else if (this.#hasMore) break;
    }
    if (group.lines.length > 0) this.#shown.push(group);
  }

  /** Whether the next row is shown. */
  #takes(chars: number): boolean {
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    if (this.#rows === this.#output.limit || (this.#rows > 0 && this.#chars + chars > LIST_CHARS)) {
      this.#hasMore = true;
      return false;
    }
    this.#rows += 1;
    this.#chars += chars;
    return true;
  }
}

function* withContext(
  matched: readonly number[],
  lines: number,
  before: number,
  after: number,
): Generator<number, undefined> {
  let next = 0;
  for (const index of matched) {
    const end = Math.min(index + after, lines - 1);
    for (let each = Math.max(next, index - before); each <= end; each += 1) yield each;
    next = Math.max(next, end + 1);
  }
}

function shorten(line: string): string {
  return line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS)} [... ${line.length} characters]`;
}
