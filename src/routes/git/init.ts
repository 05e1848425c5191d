import { z } from "zod";
import { initRepository } from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { ProjectParams } from "../projects/project.ts";

export const init = endpoint({
  operationId: "initGitRepository",
  method: "post",
  path: "/api/projects/:project/git/init",
  summary: "Initialise a git repository",
  description: "An existing repository is kept and receives the remote.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  example: {},
  body: z.object({
    repo_url: text({ max: 2000, trim: true }).nullish().describe("Becomes `origin`"),
    default_branch: text({ min: 1, max: 200, trim: true }).default("main"),
  }),
  refusals: [409, 503],
  response: { status: 200, schema: z.object({ message: z.string(), branch: z.string() }) },
  async handler({ services, caller, params, body }) {
    const access = { caller, project: params.project };
    const given = { repoUrl: body.repo_url, defaultBranch: body.default_branch };
    const { branch } = await initRepository(services, access, given);
    return { message: "The project has a git repository", branch };
  },
});
