import { z } from "zod";
import { listContainers } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

/** Where a runtime mounts a project's files. */
const MOUNT = "/app";

export const getContainerInfo = endpoint({
  operationId: "getCommandEnvironment",
  method: "get",
  path: "/api/projects/:project/container-info",
  summary: "Get the command environment",
  description: "Where commands of the project run.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      project_id: z.uuid(),
      project_slug: z.string(),
      mode: z.string(),
      working_directory: z.string(),
      containers: z.array(z.object({ id: z.uuid(), name: z.string(), working_directory: z.string() })),
    }),
  },
  async handler({ services, caller, params }) {
    const { project, containers } = await listContainers(services, caller, params.project);
    return {
      project_id: project.id,
      project_slug: project.slug,
      mode: services.config.PROJECT_RUNTIME,
      working_directory: MOUNT,
      containers: containers.map(({ id, name, directory }) => ({
        id,
        name,
        working_directory: directory === "" ? MOUNT : `${MOUNT}/${directory}`,
      })),
    };
  },
});
