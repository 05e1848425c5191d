import { z } from "zod";
import { watchContainers } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

export const getContainerStatus = endpoint({
  operationId: "getEnvironmentStatus",
  method: "get",
  path: "/api/projects/:project/container-status",
  summary: "Get environment readiness",
  description: "Returns whether the environment and all containers of the project are up.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      status: z.string(),
      ready: z.boolean(),
      message: z.string(),
      containers: z.array(z.object({ name: z.string(), ready: z.boolean(), state: z.string() })),
    }),
  },
  async handler({ services, caller, params }) {
    const { project, containers } = await watchContainers(services, caller, params.project);
    const states = containers.map(({ name, status }) => ({
      name,
      ready: status === "running" || status === "connected",
      state: status,
    }));
    const ready = project.status === "running" && states.every((state) => state.ready);
    return {
      status: project.status,
      ready,
      message: ready
        ? "All containers are running"
        : (project.progress ?? project.error ?? `The project is ${project.status}`),
      containers: states,
    };
  },
});
