import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Container, ContainerParams, describeChanged, Name } from "./container.ts";

export const renameContainer = endpoint({
  operationId: "renameContainer",
  method: "post",
  path: "/api/projects/:project/containers/:container/rename",
  summary: "Rename a container",
  description: "Changes its name and address. Its files stay where they are.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ContainerParams,
  example: { new_name: "website" },
  body: z.object({ new_name: Name }),
  response: { status: 200, schema: Container },
  refusals: [400, 409],
  async handler({ services, caller, params, body }) {
    return describeChanged(
      services,
      await containers.renameContainer(services, caller, params, body.new_name),
    );
  },
});
