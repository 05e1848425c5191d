import { z } from "zod";
import { readCommits, readDiff } from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../projects/project.ts";
import { Commit, describeCommit, describeOrigin, PanelHead } from "./git.ts";

export const listCommits = endpoint({
  operationId: "listGitCommits",
  method: "get",
  path: "/api/projects/:project/git/commits",
  summary: "List commits",
  description: "Commits of a branch, newest first, as far back as the clone goes.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  query: z.object({
    branch: z.string().optional().describe("The current one when absent"),
    limit: z.coerce.number().int().min(1).max(100).default(30),
  }),
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z
      .object({
        status: z.enum(["ready", "local"]).describe("`local` without a remote"),
        ...PanelHead,
        branch: z.string().nullable(),
        commits: z.array(Commit),
      })
      .meta({ id: "GitCommits" }),
  },
  async handler({ services, caller, params, query }) {
    const { origin, branch, commits } = await readCommits(
      services,
      { caller, project: params.project },
      query,
    );
    const head = describeOrigin(origin);
    return {
      status: origin ? ("ready" as const) : ("local" as const),
      ...head,
      branch,
      commits: commits.map((each) => describeCommit(each, head.html_url)),
    };
  },
});

export const diff = endpoint({
  operationId: "getGitDiff",
  method: "get",
  path: "/api/projects/:project/git/diff",
  summary: "Get the working tree diff",
  description: "Differences between the files and the last commit, as a unified diff.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  query: z.object({ file_path: z.string().optional().describe("One file; all of them when absent") }),
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z
      .object({
        diff: z.string(),
        truncated: z.boolean().describe("Whether the diff was cut at one mebibyte"),
        files: z.array(
          z.object({ file_path: z.string(), additions: z.int(), deletions: z.int(), changes: z.int() }),
        ),
      })
      .meta({ id: "GitDiff" }),
  },
  async handler({ services, caller, params, query }) {
    const found = await readDiff(services, { caller, project: params.project }, query.file_path);
    return {
      diff: found.diff,
      truncated: found.truncated,
      files: found.files.map(({ path, additions, deletions }) => ({
        file_path: path,
        additions,
        deletions,
        changes: additions + deletions,
      })),
    };
  },
});
