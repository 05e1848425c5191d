import { z } from "zod";
import { openContainer, readLogs } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ContainerParams } from "./container.ts";

export const getContainerLogs = endpoint({
  operationId: "getContainerLogs",
  method: "get",
  path: "/api/projects/:project/containers/:container/logs",
  summary: "Get container logs",
  description: "The last lines of the container's output.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ContainerParams,
  query: z.object({ lines: z.coerce.number().int().min(1).max(1000).default(100) }),
  response: { status: 200, schema: z.object({ logs: z.array(z.string()) }) },
  async handler({ services, caller, params, query }) {
    const { project, container } = await openContainer(services, caller, params, "container.view");
    const runtime = services.workspaces.runtime(project.id);
    return { logs: await readLogs(services, container, runtime, query.lines) };
  },
});
