import { z } from "zod";
import { cloneAndWait, readInfo, requestClone } from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { ProjectParams } from "../projects/project.ts";
import { Branch, Clone, describeClone } from "./git.ts";

/** Clients time out after 30 seconds. */
const WAIT_MS = 25_000;

const RepoUrl = text({ min: 1, max: 2000, trim: true }).describe("http or https, without credentials");
const Asked = { repo_url: RepoUrl, branch: Branch.describe("The default branch when absent") };

export const startClone = endpoint({
  operationId: "startGitClone",
  method: "post",
  path: "/api/git/clone",
  summary: "Clone in the background",
  description: "Returns at once. The clone replaces the project's files when it is complete.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  example: {
    project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10",
    repo_url: "https://github.com/example/starter.git",
  },
  body: z.object({ project_id: z.string().describe("Id or slug"), ...Asked }),
  refusals: [409],
  response: { status: 200, schema: Clone },
  handler: async ({ services, caller, body }) => {
    const access = { caller, project: body.project_id };
    const asked = { url: body.repo_url, branch: body.branch };
    return describeClone(await requestClone(services, access, asked));
  },
});

export const cloneNow = endpoint({
  operationId: "cloneGitRepository",
  method: "post",
  path: "/api/projects/:project/git/clone",
  summary: "Clone and wait",
  description: "Returns 202 and `cloning` when the clone takes longer than 25 seconds.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  example: { repo_url: "https://github.com/example/starter.git" },
  body: z.object(Asked),
  refusals: [401, 409, 503],
  response: { status: 200, orStatus: 202, schema: Clone },
  async handler({ services, caller, params, body }) {
    const access = { caller, project: params.project };
    const asked = { url: body.repo_url, branch: body.branch };
    const clone = describeClone(await cloneAndWait(services, access, asked, WAIT_MS));
    return clone.status === "cloning" ? Response.json(Clone.parse(clone), { status: 202 }) : clone;
  },
});

export const getClone = endpoint({
  operationId: "getGitCloneStatus",
  method: "get",
  path: "/api/projects/:project/git/clone",
  aliases: ["/api/git/clone/:project"],
  summary: "Get the clone status",
  description: "Of the project's last clone. 404 when there was none.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  response: { status: 200, schema: Clone },
  async handler({ services, caller, params }) {
    const clone = await readInfo(services, { caller, project: params.project });
    if (!clone) throw new AppError("not_found", "No repository was cloned into the project");
    return describeClone(clone);
  },
});
