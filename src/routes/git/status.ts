import { z } from "zod";
import { readStatus } from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../projects/project.ts";

const Change = z.object({
  file_path: z.string(),
  status: z.enum(["M", "A", "D", "R", "U", "??"]),
  staged: z.boolean(),
});

const Status = z
  .object({
    branch: z.string().nullable(),
    ahead: z.int(),
    behind: z.int(),
    staged_count: z.int(),
    unstaged_count: z.int(),
    untracked_count: z.int(),
    has_conflicts: z.boolean(),
    changes: z.array(Change),
    remote_branch: z.string().nullable(),
    last_commit: z
      .object({ sha: z.string(), author: z.string(), date: z.string(), message: z.string() })
      .nullable(),
  })
  .meta({ id: "GitStatus" });

export const status = endpoint({
  operationId: "getGitStatus",
  method: "get",
  path: "/api/projects/:project/git/status",
  summary: "Get the git status",
  description: "What changed since the last commit, and how the branch compares to its remote branch.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  refusals: [409, 503],
  response: { status: 200, schema: Status },
  async handler({ services, caller, params }) {
    const found = await readStatus(services, { caller, project: params.project });
    const { changes, lastCommit } = found;
    return {
      branch: found.branch,
      ahead: found.ahead,
      behind: found.behind,
      staged_count: changes.filter(({ staged }) => staged).length,
      unstaged_count: changes.filter((each) => !each.staged && each.status !== "??").length,
      untracked_count: changes.filter((each) => each.status === "??").length,
      has_conflicts: found.hasConflicts,
      changes: changes.map(({ path, status: code, staged }) => ({ file_path: path, status: code, staged })),
      remote_branch: found.remoteBranch,
      last_commit: lastCommit && {
        sha: lastCommit.sha,
        author: lastCommit.author.name,
        date: lastCommit.date,
        message: lastCommit.message,
      },
    };
  },
});
