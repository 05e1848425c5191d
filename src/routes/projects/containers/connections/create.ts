import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { JsonObject, text } from "#src/http/schemas.ts";
import { ProjectParams } from "../../project.ts";
import { Connection, describeConnection } from "./connection.ts";

const Body = z.object({
  source_container_id: z.uuid().describe("The container that uses the target"),
  target_container_id: z.uuid(),
  project_id: z.string().optional().describe("Ignored: the project is that of the path"),
  label: text({ max: 200 }).nullish(),
  config: JsonObject.optional().describe(
    "`env_mapping`: names of variables, each with the target's name for the value: HOST, PORT, URL or one it exports",
  ),
});

export const createConnection = endpoint({
  operationId: "createContainerConnection",
  method: "post",
  path: "/api/projects/:project/containers/connections",
  summary: "Connect two containers",
  description: "The source starts after the target and receives the target's address.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ProjectParams,
  example: {
    source_container_id: "b7a1d0a4-52c1-4d5a-8f5e-0d6a4c1f7e22",
    target_container_id: "c1d7f3be-2f0b-4a0e-9c39-6f1b7a2d9e33",
  },
  body: Body,
  response: { status: 200, schema: Connection },
  refusals: [400, 409],
  async handler({ services, caller, params, body }) {
    const connection = await containers.createConnection(services, caller, params.project, {
      sourceId: body.source_container_id,
      targetId: body.target_container_id,
      label: body.label ?? null,
      config: body.config ?? {},
    });
    return describeConnection(connection);
  },
});
