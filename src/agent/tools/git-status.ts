import { z } from "zod";
import { toGitPath } from "./git/git-path.ts";
import { describeCommit } from "./git/describe-commit.ts";
import { fitting } from "./search/fit.ts";
import { defineTool } from "./tool.ts";

const MAX_CHANGES = 500;

export const gitStatus = defineTool({
  name: "git_status",
  description:
    "Show the project's git branch, how it stands to its remote, the last commit, and what is changed: M modified, A " +
    "added, D deleted, U conflict, ?? untracked; staged or not.",
  parameters: z.object({
    path: z.string().optional().describe("Only changes at or below this path"),
  }),
  effect: "read",
  scope: "git.view",
  async run({ path }, { runtime, signal }) {
    const below = toGitPath(path);
    const status = await runtime.git("status", {}, { signal });
    if (status.branch === null) {
      return { success: true, message: "The project has no git repository.", branch: null, changes: [] };
    }
    const changes = status.changes.filter(
      (change) => below === undefined || change.path === below || change.path.startsWith(`${below}/`),
    );
    const listed = changes.map((change) => ({
      file_path: change.path,
      status: change.status,
      staged: change.staged,
    }));
    const shown = fitting(listed, MAX_CHANGES);
    const staged = changes.filter((change) => change.staged).length;
    const untracked = changes.filter((change) => change.status === "??").length;
    return {
      success: true,
      message: `On ${status.branch}: ${changes.length === 0 ? "nothing is changed" : `${changes.length} changes`}.`,
      branch: status.branch,
      remote_branch: status.remoteBranch,
      ahead: status.ahead,
      behind: status.behind,
      has_conflicts: status.hasConflicts,
      staged_count: staged,
      unstaged_count: changes.length - staged - untracked,
      untracked_count: untracked,
      last_commit: status.lastCommit && describeCommit(status.lastCommit),
      changes: shown,
      truncated: shown.length < changes.length,
    };
  },
});
