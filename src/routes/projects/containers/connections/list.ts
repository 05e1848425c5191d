import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../../project.ts";
import { Connection, describeConnection } from "./connection.ts";

export const listConnections = endpoint({
  operationId: "listContainerConnections",
  method: "get",
  path: "/api/projects/:project/containers/connections",
  summary: "List container connections",
  description: "Which containers use which.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ProjectParams,
  response: { status: 200, schema: z.array(Connection) },
  handler: async ({ services, caller, params }) =>
    (await containers.listConnections(services, caller, params.project)).map(describeConnection),
});
