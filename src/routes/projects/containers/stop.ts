import { z } from "zod";
import * as lifecycle from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ContainerParams } from "./container.ts";

export const stopContainer = endpoint({
  operationId: "stopContainer",
  method: "post",
  path: "/api/projects/:project/containers/:container/stop",
  summary: "Stop a container",
  tag: "Containers",
  access: { userOrKey: "container.start_stop" },
  countsAsActivity: true,
  params: ContainerParams,
  response: {
    status: 200,
    schema: z.object({ message: z.string(), container_id: z.uuid(), container_name: z.string() }),
  },
  async handler({ services, caller, params }) {
    const { containerId, containerName } = await lifecycle.stopContainer(services, caller, params);
    return {
      message: `${containerName} stopped`,
      container_id: containerId,
      container_name: containerName,
    };
  },
});
