import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeProject, Project, ProjectParams } from "./project.ts";

export const getProject = endpoint({
  operationId: "getProject",
  method: "get",
  path: "/api/projects/:project",
  summary: "Get a project",
  description: "By id or slug.",
  tag: "Projects",
  access: { userOrKey: "project.view" },
  params: ProjectParams,
  response: { status: 200, schema: Project },
  handler: async ({ services, caller, params }) =>
    describeProject(await requireProject(services, caller, params.project, "project.view")),
});
