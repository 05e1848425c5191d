import { z } from "zod";
import { requireProject } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeStatus, ProjectParams, ProjectStatus } from "./project.ts";

export const getProjectStatus = endpoint({
  method: "get",
  path: "/api/projects/:project/status",
  summary: "What state a project is in; clients poll it every two seconds",
  tag: "Projects",
  access: { userOrKey: "project.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      project_id: z.uuid(),
      state: ProjectStatus,
      status: ProjectStatus,
      environment_status: z.string(),
      compute_tier: z.string(),
    }),
  },
  async handler({ services, caller, params }) {
    const { id, status } = await requireProject(services, caller, params.project, "project.view");
    return { project_id: id, state: status, ...describeStatus(status) };
  },
});
