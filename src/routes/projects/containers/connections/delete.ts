import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Message } from "#src/http/schemas.ts";
import { ProjectParams } from "../../project.ts";

export const deleteConnection = endpoint({
  operationId: "deleteContainerConnection",
  method: "delete",
  path: "/api/projects/:project/containers/connections/:connection",
  summary: "Delete a container connection",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ProjectParams.extend({ connection: z.string().describe("Id of the connection") }),
  response: { status: 200, schema: Message },
  async handler({ services, caller, params }) {
    await containers.deleteConnection(services, caller, params.project, params.connection);
    return { message: "Connection deleted" };
  },
});
