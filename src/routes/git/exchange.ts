import { z } from "zod";
import * as git from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../projects/project.ts";
import { Branch, Remote } from "./git.ts";

export const push = endpoint({
  operationId: "pushGitBranch",
  method: "post",
  path: "/api/projects/:project/git/push",
  summary: "Push a branch",
  description: "409 when the remote has commits that the project lacks.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  example: {},
  body: z.object({ branch: Branch, remote: Remote, force: z.boolean().default(false) }),
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.object({ success: z.literal(true), message: z.string(), branch: z.string(), sha: z.string() }),
  },
  async handler({ services, caller, params, body }) {
    const { branch, sha } = await git.push(services, { caller, project: params.project }, body);
    return { success: true as const, message: `Pushed ${branch} to ${body.remote}`, branch, sha };
  },
});

export const pull = endpoint({
  operationId: "pullGitBranch",
  method: "post",
  path: "/api/projects/:project/git/pull",
  summary: "Pull a branch",
  description: "Fetches and merges. On a conflict `success` is false and nothing changes.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  example: {},
  body: z.object({ branch: Branch, remote: Remote }),
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.object({
      success: z.boolean(),
      conflicts: z.array(z.string()),
      message: z.string(),
      branch: z.string(),
      sha: z.string(),
    }),
  },
  async handler({ services, caller, params, body }) {
    const { branch, sha, conflicts } = await git.pull(services, { caller, project: params.project }, body);
    const success = conflicts.length === 0;
    const message = success
      ? `Pulled ${branch} from ${body.remote}`
      : "Files conflict with those of the remote; nothing was changed";
    return { success, conflicts, message, branch, sha };
  },
});
