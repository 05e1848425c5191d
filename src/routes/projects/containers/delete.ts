import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Message } from "#src/http/schemas.ts";
import { ContainerParams } from "./container.ts";

export const deleteContainer = endpoint({
  operationId: "deleteContainer",
  method: "delete",
  path: "/api/projects/:project/containers/:container",
  summary: "Delete a container",
  description: "Ends its program. The files of the container stay.",
  tag: "Containers",
  access: { userOrKey: "container.delete" },
  countsAsActivity: true,
  params: ContainerParams,
  response: { status: 200, schema: Message },
  async handler({ services, caller, params, client }) {
    const { name } = await containers.deleteContainer(services, caller, params, client);
    return { message: `Container ${name} deleted` };
  },
});
