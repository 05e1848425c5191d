import { z } from "zod";
import { stopAllContainers } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

export const stopAll = endpoint({
  operationId: "stopAllContainers",
  method: "post",
  path: "/api/projects/:project/containers/stop-all",
  summary: "Stop all containers",
  description: "The project's files stay in place.",
  tag: "Containers",
  access: { userOrKey: "container.start_stop" },
  countsAsActivity: true,
  params: ProjectParams,
  response: { status: 200, schema: z.object({ message: z.string(), deployment_mode: z.string() }) },
  async handler({ services, caller, params }) {
    await stopAllContainers(services, caller, params.project);
    return {
      message: "The containers are being stopped",
      deployment_mode: services.config.PROJECT_RUNTIME,
    };
  },
});
