import { z } from "zod";
import { counted } from "#src/lib/counted.ts";
import { describeCommit } from "./git/describe-commit.ts";
import { toFilePath } from "./project-path.ts";
import { fitting } from "./search/fit.ts";
import { defineTool, failure } from "./tool.ts";

const MAX_LINES = 1_000;
const HUNKS_CHARS = 20_000;

export const gitBlame = defineTool({
  name: "git_blame",
  description:
    "Show which commit each line of a file comes from, as it is in the project now or as of a revision. Renames are not " +
    "followed.",
  parameters: z.object({
    path: z.string().min(1).describe("File relative to the project root"),
    start_line: z.int().min(1).optional().describe("First line, counted from 1"),
    end_line: z.int().min(1).optional().describe("Last line to look at, counted from 1"),
    revision: z.string().min(1).max(250).optional().describe("A branch, tag or commit to look at instead"),
  }),
  effect: "read",
  scope: "git.view",
  argumentAliases: { file_path: "path" },
  async run({ path, start_line, end_line, revision }, { runtime, signal }) {
    const file = toFilePath(path);
    const start = start_line ?? 1;
    if (end_line !== undefined && end_line < start) return failure("end_line comes before start_line.");
    const end = Math.min(end_line ?? Infinity, start + MAX_LINES - 1);
    const blamed = await runtime.git(
      "blame",
      { path: file, start, end, ...(revision !== undefined && { revision }) },
      { signal },
    );
    if (blamed.lines.length === 0 && start > Math.max(blamed.totalLines, 1)) {
      return failure(`${file} has ${counted(blamed.totalLines, "line")}; there is no line ${start}.`);
    }
    const hunks = blamed.hunks.map(({ start: from, end: to, commit, isBoundary }) => ({
      start_line: from,
      end_line: to,
      ...(commit ? describeCommit(commit) : { sha: null, message: "Not committed yet" }),
      ...(isBoundary && { boundary: true }),
      lines: blamed.lines.slice(from - start, to - start + 1),
    }));
    const shown = fitting(hunks, MAX_LINES, HUNKS_CHARS);
    const last = shown.at(-1)?.end_line ?? start - 1;
    const isCut = last < Math.min(end_line ?? Infinity, blamed.totalLines);
    return {
      success: true,
      message: `Lines ${start} to ${last} of the ${blamed.totalLines} of ${file}.`,
      ...(isCut && { suggestion: `Read on with start_line ${last + 1}.` }),
      file_path: file,
      hunks: shown,
      total_lines: blamed.totalLines,
      truncated: isCut,
    };
  },
});
