import { z } from "zod";
import { createBranch, readBranches, switchBranch } from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { ProjectParams } from "../projects/project.ts";
import { describeOrigin, Done, PanelHead } from "./git.ts";

const Name = text({ min: 1, max: 200, trim: true });

const BranchItem = z.object({
  name: z.string(),
  current: z.boolean(),
  remote: z.string().nullable(),
  is_default: z.boolean(),
  protected: z.boolean(),
  sha: z.string(),
  html_url: z.string().nullable(),
  ahead_by: z.int().nullable(),
  behind_by: z.int().nullable(),
});

export const listBranches = endpoint({
  operationId: "listGitBranches",
  method: "get",
  path: "/api/projects/:project/git/branches",
  summary: "List branches",
  description:
    "Of the project's repository and of its remote. A failure of the remote is reported in the response, not as an error.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z
      .object({
        status: z
          .enum(["ready", "local", "error"])
          .describe("`local` without a remote; `error` when its branches could not be read"),
        message: z.string().optional(),
        http_status: z.int().optional().describe("HTTP status that corresponds to the failure"),
        ...PanelHead,
        default_branch: z.string().nullable(),
        current_branch: z.string().nullable(),
        branches: z.array(BranchItem),
      })
      .meta({ id: "GitBranches" }),
  },
  async handler({ services, caller, params }) {
    const found = await readBranches(services, { caller, project: params.project });
    const head = describeOrigin(found.origin);
    const { failure } = found;
    return {
      status: failure ? ("error" as const) : found.origin ? ("ready" as const) : ("local" as const),
      ...(failure && { message: failure.message, http_status: failure.status }),
      ...head,
      default_branch: found.defaultBranch,
      current_branch: found.current,
      branches: found.branches.map(({ name, sha, remote }) => ({
        name,
        sha,
        remote,
        current: name === found.current,
        is_default: name === found.defaultBranch,
        protected: false,
        html_url: head.html_url === null ? null : `${head.html_url}/tree/${name}`,
        ahead_by: null,
        behind_by: null,
      })),
    };
  },
});

export const addBranch = endpoint({
  operationId: "createGitBranch",
  method: "post",
  path: "/api/projects/:project/git/branches",
  aliases: ["/api/projects/:project/git/branch"],
  summary: "Create a branch",
  description: "Switches to the branch unless told not to.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  example: { name: "fix-test" },
  body: z.object({ name: Name, checkout: z.boolean().default(true) }),
  refusals: [409, 503],
  response: { status: 200, schema: z.object({ message: z.string(), checked_out: z.boolean() }) },
  async handler({ services, caller, params, body }) {
    const made = await createBranch(services, { caller, project: params.project }, body);
    return { message: `Branch ${made.name} was made`, checked_out: made.checkedOut };
  },
});

/** Each client family has its own method and path for the same operation. */
const switchTo = (operationId: string, method: "put" | "post", path: string) =>
  endpoint({
    operationId,
    method,
    path: `/api/projects/:project/git/${path}`,
    summary: "Switch branches",
    description: "409 when local changes would be lost.",
    tag: "Git",
    access: { userOrKey: "git.write" },
    params: ProjectParams,
    example: { branch: "main" },
    body: z.object({ branch: Name }),
    refusals: [409, 503],
    response: { status: 200, schema: Done },
    async handler({ services, caller, params, body }) {
      const { branch } = await switchBranch(services, { caller, project: params.project }, body.branch);
      return { message: `Switched to ${branch}` };
    },
  });

export const putSwitch = switchTo("switchGitBranch", "put", "branches/switch");
export const postSwitch = switchTo("switchGitBranchByPost", "post", "switch");
