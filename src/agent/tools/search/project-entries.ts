import { readContents, type Pace } from "#src/domain/workspaces/files/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { AgentRuntime, FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { directoriesAbove, IgnoreRules, plainNames } from "#src/lib/ignore-rules.ts";

/** Directories that tools generate, and that a search of a project should skip. */
export const DEFAULT_EXCLUDED: readonly string[] = [
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "__pycache__",
  ".venv",
  "venv",
  ".next",
  ".nuxt",
  ".cache",
  ".turbo",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  "lost+found",
];

const TOO_SLOW =
  "Comparing the files with the rules in .gitignore took too long: name a directory that holds fewer files in path";
const IGNORE_FILE = ".gitignore";
const MAX_IGNORE_FILES = 500;
const MAX_IGNORE_BYTES = 64 * 1024;
/** Steps for each entry, besides those for the rules. */
const STEPS_PER_ENTRY = 1_000;

export interface EntrySelection {
  /** Include names that begin with a dot. */
  hidden: boolean;
  /** Skip what `.gitignore` names, and `DEFAULT_EXCLUDED`. */
  excludes: boolean;
}

/**
 * Returns the files and links below a directory, sorted by path, without hidden and ignored ones as requested. A named
 * directory is searched even if it is itself ignored or hidden. Throws what `list` throws, and `invalid_input` when the
 * time is over.
 */
export async function projectEntries(
  runtime: AgentRuntime,
  directory: string,
  { hidden, excludes }: EntrySelection,
  pace: Pace,
): Promise<FileEntry[]> {
  const listed = await oneAtATime(runtime, () => listTree(runtime, directory, excludes));
  const rules = excludes ? await readRules(runtime, directory, listed) : undefined;
  const kept: FileEntry[] = [];
  // Parents come before their children, and a directory's contents come right after the directory.
  let inside: string | undefined;
  for (const entry of listed) {
    if (pace.isDue(STEPS_PER_ENTRY + (rules?.takeSteps() ?? 0))) {
      await pace.turn();
      if (pace.isOver) throw new AppError("invalid_input", TOO_SLOW);
    }
    if (inside !== undefined && entry.path.startsWith(inside)) continue;
    const isDirectory = entry.kind === "directory";
    const isOut = (!hidden && entry.name.startsWith(".")) || rules?.ignores(entry.path, { isDirectory });
    inside = isOut && isDirectory ? `${entry.path}/` : undefined;
    if (!isOut && !isDirectory) kept.push(entry);
  }
  return kept;
}

async function listTree(runtime: AgentRuntime, directory: string, excludes: boolean): Promise<FileEntry[]> {
  const exclude = excludes ? DEFAULT_EXCLUDED : [];
  try {
    return await runtime.list(directory, { recursive: true, exclude });
  } catch (error) {
    if (!(error instanceof AppError && error.code === "too_large" && excludes)) throw error;
    // Build output may be most of the entries: exclude what the root's rules name.
    const [root] = await rulesOf(runtime, [IGNORE_FILE]);
    if (!root) throw error;
    return runtime.list(directory, { recursive: true, exclude: [...exclude, ...plainNames(root.text)] });
  }
}

async function readRules(
  runtime: AgentRuntime,
  directory: string,
  listed: readonly FileEntry[],
): Promise<IgnoreRules | undefined> {
  const above = directoriesAbove(directory).map((each) =>
    each === "" ? IGNORE_FILE : `${each}/${IGNORE_FILE}`,
  );
  const below = listed
    .filter(({ name, kind, size }) => name === IGNORE_FILE && kind === "file" && size <= MAX_IGNORE_BYTES)
    .slice(0, MAX_IGNORE_FILES);
  const paths = [...above, ...below.map(({ path }) => path)];
  if (paths.length === 0) return undefined;
  const rules = new IgnoreRules();
  for (const file of await rulesOf(runtime, paths)) rules.add(file.directory, file.text);
  return rules.hides(directory) ? undefined : rules;
}

async function rulesOf(
  runtime: AgentRuntime,
  paths: readonly string[],
): Promise<{ directory: string; text: string }[]> {
  const found: { directory: string; text: string }[] = [];
  for await (const { path, bytes } of readContents(runtime, paths, { maxBytes: MAX_IGNORE_BYTES })) {
    const directory = path.slice(0, Math.max(path.length - IGNORE_FILE.length - 1, 0));
    if (bytes) found.push({ directory, text: new TextDecoder().decode(bytes) });
  }
  return found;
}

const turns = new WeakMap<AgentRuntime, Promise<unknown>>();

/**
 * One listing at a time: a listing may be 20 MiB, a model may ask for several in parallel, and an isolate has 128 MB.
 */
async function oneAtATime<T>(runtime: AgentRuntime, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(runtime) ?? Promise.resolve()).then(work);
  turns.set(
    runtime,
    turn.catch(() => undefined),
  );
  return turn;
}
