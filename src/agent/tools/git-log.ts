import { z } from "zod";
import { counted } from "#src/lib/counted.ts";
import { describeCommit } from "./git/describe-commit.ts";
import { toGitPath } from "./git/git-path.ts";
import { fitting } from "./search/fit.ts";
import { defineTool } from "./tool.ts";

const MAX_COMMITS = 500;

export const gitLog = defineTool({
  name: "git_log",
  description: "List commits, newest first, with author, date and message; of one file when it is named.",
  parameters: z.object({
    path: z.string().optional().describe("Only commits that changed this file or directory"),
    revision: z
      .string()
      .min(1)
      .max(250)
      .optional()
      .describe("Where to begin: a branch, tag, commit, or such as HEAD~1; HEAD by default"),
    max_count: z.int().min(1).max(MAX_COMMITS).default(50).describe("Most commits to return"),
  }),
  effect: "read",
  scope: "git.view",
  argumentAliases: { branch: "revision" },
  async run({ path, revision, max_count }, { runtime, signal }) {
    const at = toGitPath(path);
    const { commits } = await runtime.git(
      "log",
      {
        limit: max_count,
        ...(at !== undefined && { path: at }),
        ...(revision !== undefined && { revision }),
      },
      { signal },
    );
    const shown = fitting(commits.map(describeCommit), max_count);
    return {
      success: true,
      message: `${counted(shown.length, "commit")}${at === undefined ? "" : ` that changed ${at}`}.`,
      commits: shown,
      truncated: shown.length < commits.length,
    };
  },
});
