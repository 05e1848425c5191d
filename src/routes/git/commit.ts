import { z } from "zod";
import { commitAndPush, commitChanges } from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../projects/project.ts";
import { CommitMessage } from "./git.ts";

export const commitAndPushAll = endpoint({
  operationId: "commitAndPushGit",
  method: "post",
  path: "/api/git/commit",
  summary: "Commit and push",
  description:
    "Commits everything that changed and pushes it. 409 when there is nothing to do, and when the push is refused.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10", message: "Fix the test" },
  body: z.object({ project_id: z.string().describe("Id or slug"), message: CommitMessage }),
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.object({ status: z.literal("pushed"), commit_hash: z.string(), branch: z.string() }),
  },
  async handler({ services, caller, body }) {
    const access = { caller, project: body.project_id };
    const { sha, branch } = await commitAndPush(services, access, body.message);
    return { status: "pushed" as const, commit_hash: sha, branch };
  },
});

export const commit = endpoint({
  operationId: "createGitCommit",
  method: "post",
  path: "/api/projects/:project/git/commit",
  summary: "Create a commit",
  description: "From the named files, or from everything that changed. 409 when there is nothing to commit.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  example: { message: "Fix the test" },
  body: z.object({
    message: CommitMessage,
    files: z
      .array(z.string())
      .max(1000)
      .nullish()
      .describe("Everything when absent; what is staged when empty"),
  }),
  refusals: [409, 503],
  response: { status: 200, schema: z.object({ sha: z.string(), message: z.string() }) },
  async handler({ services, caller, params, body }) {
    const { message, files = null } = body;
    const access = { caller, project: params.project };
    const { sha } = await commitChanges(services, access, { message, paths: files });
    return { sha, message };
  },
});
