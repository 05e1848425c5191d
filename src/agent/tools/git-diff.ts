import { z } from "zod";
import { counted } from "#src/lib/counted.ts";
import { toGitPath } from "./git/git-path.ts";
import { fitting } from "./search/fit.ts";
import { MODEL_FIELD_CHARS } from "./to-model-text.ts";
import { defineTool, failure } from "./tool.ts";

const MAX_FILES = 500;
const FILES_CHARS = 12_000;

const revision = (what: string) =>
  z.string().min(1).max(250).optional().describe(`${what}: a branch, tag, commit, or such as HEAD~1`);

export const gitDiff = defineTool({
  name: "git_diff",
  description:
    "Show differences as git does. Without arguments: what committing everything would change, new files included. With " +
    "staged: what is staged. With base: the files as they are against that commit; with base and target: two commits.",
  parameters: z.object({
    path: z.string().optional().describe("Only differences at or below this path"),
    staged: z.boolean().default(false).describe("What is staged, in place of the files as they are"),
    base: revision("Compare with this in place of HEAD"),
    target: revision("Compare this in place of the files as they are"),
  }),
  effect: "read",
  scope: "git.view",
  async run({ path, staged, base, target }, { runtime, signal }) {
    if (staged && target !== undefined) {
      return failure("staged and target name two different things to compare.", "Leave one of them out.");
    }
    const below = toGitPath(path);
    const { diff, files, truncated } = await runtime.git(
      "diff",
      {
        ...(below !== undefined && { path: below }),
        ...(staged && { staged }),
        ...(base !== undefined && { base }),
        ...(target !== undefined && { target }),
      },
      { signal },
    );
    const listed = files.map((file) => ({
      file_path: file.path,
      additions: file.additions,
      deletions: file.deletions,
    }));
    const shown = fitting(listed, MAX_FILES, FILES_CHARS);
    const isCut = truncated || shown.length < files.length;
    return {
      success: true,
      message:
        files.length === 0
          ? "Nothing differs."
          : `${counted(files.length, "file")} ${files.length === 1 ? "differs" : "differ"}.`,
      ...((isCut || diff.length > MODEL_FIELD_CHARS) && {
        suggestion: "Not all of it is shown: name a path to see its differences.",
      }),
      files: shown,
      total_files: files.length,
      truncated: isCut,
      diff,
    };
  },
});
