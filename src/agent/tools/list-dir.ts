import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { AgentRuntime, FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { toProjectPath } from "./project-path.ts";
import { fitting } from "./search/fit.ts";
import { DEFAULT_EXCLUDED } from "./search/project-entries.ts";
import { tooManyEntries } from "./search/too-many-entries.ts";
import { defineTool } from "./tool.ts";

export const listDir = defineTool({
  name: "list_dir",
  description:
    "List what is in a directory, and in those below it down to a depth. Shows node_modules, .git and the like, but " +
    "does not go into them unless you name them.",
  parameters: z.object({
    dir_path: z.string().describe("Directory relative to the project root; . is the root"),
    offset: z.int().min(1).default(1).describe("First entry to return, counted from 1"),
    limit: z.int().min(1).max(500).default(25).describe("Most entries to return"),
    depth: z.int().min(1).max(16).default(2).describe("How many levels: 1 is the directory's own entries"),
    include_hidden: z.boolean().default(false).describe("Also names that begin with a dot"),
  }),
  effect: "read",
  scope: "file.read",
  argumentAliases: { path: "dir_path" },
  async run({ dir_path, offset, limit, depth, include_hidden }, { runtime }) {
    const directory = toProjectPath(dir_path);
    let listed: FileEntry[];
    try {
      listed = await listLevels(runtime, directory, depth);
    } catch (error) {
      if (error instanceof AppError && error.code === "too_large") return tooManyEntries(directory);
      throw error;
    }
    const above = directory === "" ? 0 : directory.length + 1;
    const entries = listed.filter((entry) => {
      const names = entry.path.slice(above).split("/");
      return names.length <= depth && (include_hidden || names.every((name) => !name.startsWith(".")));
    });
    const wanted = entries.slice(offset - 1).map((entry) => ({
      path: entry.path,
      type: entry.kind,
      ...(entry.kind === "file" && { size: entry.size }),
    }));
    const shown = fitting(wanted, limit);
    const hasMore = offset - 1 + shown.length < entries.length;
    const where = directory === "" ? "the project root" : directory;
    return {
      success: true,
      message: `Listed ${shown.length} of ${entries.length} entries of ${where}.`,
      ...(hasMore && { suggestion: `Read on with offset ${offset + shown.length}.` }),
      entries: shown,
      total: entries.length,
      has_more: hasMore,
    };
  },
});

/** Lists at least `depth` levels, parents before children. */
async function listLevels(runtime: AgentRuntime, directory: string, depth: number): Promise<FileEntry[]> {
  const own = await runtime.list(directory, { recursive: false });
  if (depth === 1 || own.every(({ kind }) => kind !== "directory")) return own;
  const all = await runtime.list(directory, { recursive: true, exclude: DEFAULT_EXCLUDED });
  const known = new Set(all.map(({ path }) => path));
  const excluded = own.filter(({ path }) => !known.has(path));
  return excluded.length === 0 ? all : insertByPath(all, excluded);
}

/** Inserts entries of the top level into the others, which are in the order of a walk. */
function insertByPath(all: readonly FileEntry[], more: readonly FileEntry[]): FileEntry[] {
  return [...all, ...more].toSorted((one, other) => (walkKey(one) < walkKey(other) ? -1 : 1));
}

/** Sort key that orders paths as a walk does: a directory's contents right after the directory. */
function walkKey({ path }: FileEntry): string {
  return path.replaceAll("/", "\0");
}
