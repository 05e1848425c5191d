import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeProject, Project } from "./project.ts";

const url = text({ max: 2000, trim: true });
const branch = text({ min: 1, max: 255, trim: true });

/** The same fields under the names of different clients; the first present one counts. */
const Body = z.object({
  name: text({ min: 1, max: 200, trim: true }),
  description: text({ max: 10_000 }).nullish(),
  source_type: z
    .enum(projects.SOURCE_TYPES)
    .default("base")
    .describe("`github`, `gitlab` and `bitbucket` all clone git_repo_url, from any git host"),
  git_repo_url: url.nullish().describe("http(s) address, without credentials"),
  github_repo_url: url.nullish(),
  git_url: url.nullish(),
  git_branch: branch.nullish().describe("The repository's default branch when absent"),
  github_branch: branch.nullish(),
  git_provider: text({ max: 100 }).nullish().describe("Not needed: derived from the address"),
  base_id: text({ max: 100 })
    .nullish()
    .describe("Id or slug of a base. `builtin`, or no value, creates an empty project"),
  base_version: text({ max: 100 }).nullish(),
});

const Created = Project.extend({
  project: Project,
  task_id: z
    .uuid()
    .nullable()
    .describe("Background task of the setup; null when there is nothing to wait for"),
  status_endpoint: z.string().nullable(),
}).meta({ id: "CreatedProject" });

export const createProject = endpoint({
  operationId: "createProject",
  method: "post",
  path: "/api/projects",
  summary: "Create a project",
  description: "An empty project can be used at once.",
  tag: "Projects",
  access: { userOrKey: "project.create" },
  example: { name: "My app" },
  body: Body,
  response: { status: 200, schema: Created },
  refusals: [400, 402, 404],
  async handler({ services, caller, body }) {
    const { name, source_type: sourceType } = body;
    const wish = { name, description: body.description ?? "", sourceType };
    const source = await projects.findSource(services, caller, sourceType, {
      gitUrl: body.git_repo_url ?? body.github_repo_url ?? body.git_url ?? undefined,
      gitBranch: body.git_branch ?? body.github_branch ?? undefined,
      baseId: body.base_id ?? undefined,
    });
    const { project, taskId } = source
      ? await projects.createProjectFrom(services, caller, { ...wish, source }, services.config)
      : { project: await projects.createProject(services, caller, wish, services.config), taskId: null };
    // The response announces a new project as `initializing`; later responses show the settled state.
    const described = describeProject(project, "initializing");
    return {
      ...described,
      project: described,
      task_id: taskId,
      status_endpoint: taskId && `/api/tasks/${taskId}/status`,
    };
  },
});
