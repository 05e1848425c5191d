import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { counted } from "#src/lib/counted.ts";
import { toProjectPath } from "./project-path.ts";
import { fitting } from "./search/fit.ts";
import { compileGlob, compileNameGlob, namesHidden } from "#src/lib/glob-pattern.ts";
import { Pace } from "#src/domain/workspaces/files/index.ts";
import { projectEntries } from "./search/project-entries.ts";
import { tooManyEntries } from "./search/too-many-entries.ts";
import { defineTool } from "./tool.ts";

const MAX_MATCHES = 2_000;
const TIMEOUT_MS = 30_000;

export const glob = defineTool({
  name: "glob",
  description:
    "Find files by their names, such as **/*.test.ts or src/{api,web}/*.py. A pattern without a slash is matched at any " +
    "depth. Leaves out hidden files, what .gitignore names, node_modules and the like.",
  parameters: z.object({
    pattern: z.string().min(1).describe("Glob with * ? ** [a-z] {a,b}, relative to path"),
    path: z.string().default("").describe("Directory to search in, relative to the project root"),
    recursive: z.boolean().default(true).describe("False: only files directly in the directory"),
    limit: z.int().min(1).max(MAX_MATCHES).default(200).describe("Most matches to return"),
    include_hidden: z.boolean().default(false).describe("Also names that begin with a dot"),
    sort: z.enum(["mtime", "name"]).default("mtime").describe("Latest change first, or by path"),
  }),
  effect: "read",
  scope: "file.read",
  async run({ pattern, path, recursive, limit, include_hidden, sort }, { runtime, signal }) {
    const directory = toProjectPath(path);
    const matches = recursive ? compileNameGlob(pattern) : compileGlob(pattern);
    const pace = new Pace(signal, { timeoutMs: TIMEOUT_MS });
    const selection = { hidden: include_hidden || namesHidden(pattern), excludes: true };
    let entries;
    try {
      entries = await projectEntries(runtime, directory, selection, pace);
    } catch (error) {
      if (error instanceof AppError && error.code === "too_large") return tooManyEntries(directory);
      throw error;
    }
    const above = directory === "" ? 0 : directory.length + 1;
    const found = [];
    for (const entry of entries) {
      const name = entry.path.slice(above);
      if (pace.isDue(pattern.length * name.length)) await pace.turn();
      if ((recursive || !name.includes("/")) && matches(name)) found.push(entry);
    }
    if (sort === "mtime") found.sort((one, other) => other.modifiedAt - one.modifiedAt);
    const shown = fitting(
      found.map((entry) => entry.path),
      limit,
    );
    const truncated = shown.length < found.length;
    return {
      success: true,
      message: `${counted(found.length, "file")} ${found.length === 1 ? "matches" : "match"} ${pattern}${truncated ? `; the first ${shown.length} are listed` : ""}.`,
      ...(truncated && { suggestion: "Narrow the pattern or the path to see the others." }),
      matches: shown,
      total_found: found.length,
      truncated,
    };
  },
});
