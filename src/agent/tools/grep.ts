import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { AgentRuntime, FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { counted } from "#src/lib/counted.ts";
import { toProjectPath } from "./project-path.ts";
import { grepFiles, type GrepMode } from "./search/grep-files.ts";
import { compileNameGlob, namesHidden } from "#src/lib/glob-pattern.ts";
import { FILE_TYPES, matchesType } from "./search/file-types.ts";
import { Pace } from "#src/domain/workspaces/files/index.ts";
import { projectEntries } from "./search/project-entries.ts";
import { compileSearch } from "./search/search-pattern.ts";
import { tooManyEntries } from "./search/too-many-entries.ts";
import { defineTool, failure } from "./tool.ts";

const MAX_RESULTS = 2_000;
const MAX_CONTEXT = 50;
/** Longest time of a search, in milliseconds. */
const TIMEOUT_MS = 30_000;

const contextLines = (where: string) =>
  z.int().min(0).max(MAX_CONTEXT).optional().describe(`Lines of context ${where} each match`);

export const grep = defineTool({
  name: "grep",
  description:
    "Search the contents of the project's files for a regular expression (RE2 syntax: no look-around, no " +
    "back-references). Leaves out hidden and binary files, links, what .gitignore names, node_modules and the like. " +
    "Prefer it to grep in bash_exec.",
  parameters: z.object({
    pattern: z.string().min(1).describe("Regular expression; escape what is meant literally, as in \\(\\)"),
    path: z.string().default("").describe("File or directory to search, relative to the project root"),
    glob: z.string().min(1).optional().describe("Only files that match, such as *.ts or !**/*.test.ts"),
    type: z.string().optional().describe("Only files of a language, such as ts, py, rust, go, md"),
    output_mode: z
      .enum(["files_with_matches", "count", "content"])
      .default("files_with_matches")
      .describe("Paths only, matching lines per file, or the lines themselves"),
    "-A": contextLines("after"),
    "-B": contextLines("before"),
    "-C": contextLines("around"),
    "-i": z.boolean().default(false).describe("Upper and lower case are the same"),
    "-n": z.boolean().default(true).describe("Line numbers before each line of content"),
    multiline: z.boolean().default(false).describe("A match may span lines, and . matches line breaks"),
    head_limit: z.int().min(1).max(MAX_RESULTS).default(250).describe("Most files or lines to return"),
    offset: z.int().min(0).default(0).describe("Files or lines to leave out first, to read on"),
  }),
  effect: "read",
  scope: "file.read",
  async run(args, { runtime, signal }) {
    const pattern = await compileSearch(args.pattern, { ignoreCase: args["-i"], multiline: args.multiline });
    if (!pattern.ok) {
      return failure(
        pattern.error,
        "It is RE2 syntax; escape characters such as ( [ { . * with a backslash.",
      );
    }
    if (args.type !== undefined && !FILE_TYPES.has(args.type)) {
      return failure(
        `There is no type ${args.type}.`,
        `The types are: ${[...FILE_TYPES.keys()].join(", ")}.`,
      );
    }
    const pace = new Pace(signal, { timeoutMs: TIMEOUT_MS });
    const path = toProjectPath(args.path);
    let files: FileEntry[];
    try {
      files = await candidates(runtime, path, args, pace);
    } catch (error) {
      if (error instanceof AppError && error.code === "too_large") return tooManyEntries(path);
      throw error;
    }
    const found = await grepFiles(
      { runtime, pace },
      files,
      { regex: pattern.regex, size: pattern.size, multiline: args.multiline },
      {
        mode: args.output_mode,
        before: args["-B"] ?? args["-C"] ?? 0,
        after: args["-A"] ?? args["-C"] ?? 0,
        numbers: args["-n"],
        offset: args.offset,
        limit: args.head_limit,
      },
    );
    if (found.unreadable > 0 && found.unreadable === files.length) {
      return failure(
        `None of the ${files.length} files below ${path || "the project root"} could be read.`,
        "Is there a symbolic link in the path? Then name the directory that it leads to.",
      );
    }
    const { suggestion, ...fields } = found.report;
    return {
      success: true,
      message: describe(args.output_mode, found.total, found.report.truncated),
      ...(suggestion !== undefined && { suggestion }),
      ...fields,
    };
  },
});

async function candidates(
  runtime: AgentRuntime,
  path: string,
  { glob, type }: { glob?: string | undefined; type?: string | undefined },
  pace: Pace,
): Promise<FileEntry[]> {
  const named = path === "" ? undefined : await runtime.stat(path);
  if (named?.kind === "file") return [named];
  const hidden = glob !== undefined && namesHidden(glob);
  const entries = await projectEntries(runtime, path, { hidden, excludes: true }, pace);
  const accepts = glob === undefined ? undefined : toFilter(glob);
  const above = path === "" ? 0 : path.length + 1;
  const files: FileEntry[] = [];
  for (const entry of entries) {
    if (entry.kind !== "file" || (type !== undefined && !matchesType(type, entry.name))) continue;
    const name = entry.path.slice(above);
    if (accepts && pace.isDue((glob?.length ?? 0) * name.length)) await pace.turn();
    if (!accepts || accepts(name)) files.push(entry);
  }
  return files;
}

function toFilter(glob: string): (path: string) => boolean {
  if (!glob.startsWith("!")) return compileNameGlob(glob);
  const refuses = compileNameGlob(glob.slice(1));
  return (path) => !refuses(path);
}

function describe(mode: GrepMode, total: number, truncated: boolean): string {
  const what = mode === "content" ? "line" : "file";
  if (total === 0) return truncated ? "Nothing was found so far." : "Nothing matches.";
  return `Found ${truncated ? "at least " : ""}${counted(total, what)}.`;
}
