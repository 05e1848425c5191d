import { z } from "zod";
import { requestStop } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const stopProject = endpoint({
  operationId: "stopProject",
  method: "post",
  path: "/api/projects/:project/stop",
  summary: "Stop a project",
  description:
    "Runs in the background. The files are saved in a snapshot, and the project ends as `hibernated`.",
  tag: "Projects",
  access: { userOrKey: "container.start_stop" },
  countsAsActivity: true,
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      status: z.enum(["stopping", "hibernated"]).describe("`hibernated` when the project already was"),
      project_id: z.uuid(),
      status_endpoint: z.string(),
    }),
  },
  refusals: [409],
  async handler({ services, caller, params }) {
    const { project, alreadyHibernated } = await requestStop(services, caller, params.project);
    const status: "hibernated" | "stopping" = alreadyHibernated ? "hibernated" : "stopping";
    return {
      status,
      project_id: project.id,
      status_endpoint: `/api/projects/${project.id}/status`,
    };
  },
});
