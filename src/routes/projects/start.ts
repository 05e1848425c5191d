import { z } from "zod";
import { requestStart } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const startProject = endpoint({
  operationId: "startProject",
  method: "post",
  path: "/api/projects/:project/start",
  summary: "Start a project",
  description: "Starts all containers in the background. A hibernated project gets its files back.",
  tag: "Projects",
  access: { userOrKey: "container.start_stop" },
  countsAsActivity: true,
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      status: z.enum(["starting", "running"]).describe("`running` when the project already was"),
      project_id: z.uuid(),
      status_endpoint: z.string(),
    }),
  },
  refusals: [409],
  async handler({ services, caller, params }) {
    const { project, alreadyRunning } = await requestStart(services, caller, params.project);
    const status: "running" | "starting" = alreadyRunning ? "running" : "starting";
    return {
      status,
      project_id: project.id,
      status_endpoint: `/api/projects/${project.id}/status`,
    };
  },
});
