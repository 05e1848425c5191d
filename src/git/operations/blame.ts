import { diffArrays } from "diff";
import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { CommitQueue, openHistory, toGitCommit, type History } from "../history.ts";
import { checkPath } from "../names.ts";
import type { GitBlameHunk, GitCommit, GitOperations } from "../protocol.ts";
import { pause, requireRepository, resolve, type Repository } from "../repository.ts";
import { resolveRevision } from "../revisions.ts";
import { readWorking } from "./changed-paths.ts";

const MAX_FILE_BYTES = 1024 * 1024;
/** Most commits visited; older lines are attributed to the last of them. */
const MAX_VISITED = 5_000;
/**
 * Most changed lines for which two versions are compared; above it all lines count as new. The cost grows with the
 * square.
 */
const MAX_CHANGED_LINES = 1_500;

type Commit = Awaited<ReturnType<History["read"]>>;

/** Lines without a known commit yet: their index in a version of the file, and in the requested version. */
type Lines = Map<number, number>;

interface LineOrigin {
  commit: GitCommit | null;
  isBoundary: boolean;
}

/** Finds the commit of each line of a file. */
export async function blame(
  repository: Repository,
  { path, revision, start, end }: GitOperations["blame"]["input"],
): Promise<GitOperations["blame"]["output"]> {
  await requireRepository(repository);
  const file = checkPath(path);
  const versions = new Versions(repository, await openHistory(repository), file);
  const head =
    revision === undefined ? await resolve(repository, "HEAD") : await resolveRevision(repository, revision);
  const tip = head === undefined ? undefined : await versions.history.read(head);
  const committed = tip && (await versions.linesOf(tip));
  const asked = revision === undefined ? await workingLines(repository, file) : committed;
  if (!asked) throw new AppError("not_found", `There is no file ${file}`);

  const [first, last] = [Math.max(start, 1) - 1, Math.min(end, asked.length)];
  const wanted: Lines = new Map();
  for (let line = first; line < last; line += 1) wanted.set(line, line);
  const origins = new Map<number, LineOrigin>();
  const pending = new Map<string, Lines>();
  if (tip && committed) pending.set(tip.oid, handOver(wanted, asked, committed));
  for (const line of wanted.values()) origins.set(line, { commit: null, isBoundary: false });
  if (tip) await trace(versions, tip, pending, origins);
  const lines = asked.slice(first, last).map((line) => line.replace(/\n$/u, ""));
  return { lines, totalLines: asked.length, hunks: toHunks(origins) };
}

/** Follows the lines back to the commits that added them. */
async function trace(
  versions: Versions,
  tip: Commit,
  pending: Map<string, Lines>,
  origins: Map<number, LineOrigin>,
): Promise<void> {
  const { history } = versions;
  const queue = new CommitQueue([tip]);
  let visited = 0;
  for (let commit = queue.take(); commit; commit = queue.take()) {
    const lines = pending.get(commit.oid);
    pending.delete(commit.oid);
    if (!lines || lines.size === 0) continue;
    visited += 1;
    const isTooFar = visited > MAX_VISITED;
    for (const parent of isTooFar ? [] : await history.parentsOf(commit)) {
      const passed = await versions.passOn(lines, commit, parent);
      if (passed.size === 0) continue;
      pending.set(parent.oid, new Map([...(pending.get(parent.oid) ?? []), ...passed]));
      queue.add(parent);
    }
    const origin = { commit: toGitCommit(commit), isBoundary: isTooFar || history.isCutOff(commit) };
    for (const line of lines.values()) origins.set(line, origin);
  }
}

/** The versions of one file. */
class Versions {
  readonly history: History;
  readonly #repository: Repository;
  readonly #path: string;
  /** The last two versions that were read, by id: usually a parent is the next commit. */
  readonly #read = new Map<string, string[]>();

  constructor(repository: Repository, history: History, path: string) {
    this.#repository = repository;
    this.history = history;
    this.#path = path;
  }

  async linesOf(commit: Commit): Promise<string[] | undefined> {
    const oid = await this.history.entryOf(commit, this.#path);
    return oid === undefined ? undefined : this.#readLines(oid);
  }

  /** Removes from `lines` those that a parent already has, and returns them. */
  async passOn(lines: Lines, commit: Commit, parent: Commit): Promise<Lines> {
    const [own, theirs] = await Promise.all([
      this.history.entryOf(commit, this.#path),
      this.history.entryOf(parent, this.#path),
    ]);
    if (own === undefined || theirs === undefined) return new Map();
    if (own === theirs) {
      const all = new Map(lines);
      lines.clear();
      return all;
    }
    await pause(this.#repository);
    return handOver(lines, await this.#readLines(own), await this.#readLines(theirs));
  }

  async #readLines(oid: string): Promise<string[]> {
    const known = this.#read.get(oid);
    if (known) return known;
    let blob: Uint8Array;
    try {
      ({ blob } = await git.readBlob({ ...this.#repository.at, oid }));
    } catch (error) {
      // The path was a directory at that commit.
      if (error instanceof git.Errors.ObjectTypeError) return [];
      throw error;
    }
    const lines = toLines(blob, this.#path);
    const [oldest] = this.#read.keys();
    if (oldest !== undefined && this.#read.size > 1) this.#read.delete(oldest);
    this.#read.set(oid, lines);
    return lines;
  }
}

/** Removes from `lines` those that an earlier version has as well, and returns them at their positions there. */
function handOver(lines: Lines, version: readonly string[], earlier: readonly string[]): Lines {
  const passed: Lines = new Map();
  const parts = diffArrays([...earlier], [...version], { maxEditLength: MAX_CHANGED_LINES });
  let [here, there] = [0, 0];
  for (const { added, removed, value } of parts ?? []) {
    if (!added && !removed) {
      for (let offset = 0; offset < value.length; offset += 1) {
        const line = lines.get(here + offset);
        if (line === undefined) continue;
        passed.set(there + offset, line);
        lines.delete(here + offset);
      }
    }
    if (!removed) here += value.length;
    if (!added) there += value.length;
  }
  return passed;
}

async function workingLines(repository: Repository, path: string): Promise<string[] | undefined> {
  const entry = await repository.files.lstat(path).catch(() => undefined);
  if (!entry || entry.kind === "directory") return undefined;
  if (entry.size > MAX_FILE_BYTES) throw tooLarge(path);
  return toLines(await readWorking(repository, path), path);
}

/** Splits a file into lines. Throws `too_large`, and `invalid_input` for a file that git considers binary. */
function toLines(content: Uint8Array, path: string): string[] {
  if (content.byteLength > MAX_FILE_BYTES) throw tooLarge(path);
  if (content.subarray(0, 8_000).includes(0)) throw new AppError("invalid_input", `${path} is not text`);
  // Including their line breaks, as git compares them: a last line that gets a line break has changed.
  return new TextDecoder().decode(content).match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function tooLarge(path: string): AppError {
  return new AppError("too_large", `${path} is, or was, larger than ${MAX_FILE_BYTES} bytes`);
}

function toHunks(origins: ReadonlyMap<number, LineOrigin>): GitBlameHunk[] {
  const hunks: GitBlameHunk[] = [];
  for (const [line, { commit, isBoundary }] of [...origins].toSorted(([one], [other]) => one - other)) {
    const last = hunks.at(-1);
    if (last && last.commit?.sha === commit?.sha) last.end = line + 1;
    else hunks.push({ start: line + 1, end: line + 1, commit, isBoundary });
  }
  return hunks;
}
