import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { Container, ContainerParams, describeChanged, Variables } from "./container.ts";

export const setCredentials = endpoint({
  operationId: "setContainerCredentials",
  method: "put",
  path: "/api/projects/:project/containers/:container/credentials",
  summary: "Set external container credentials",
  description: "How the external container is reached. Values are write-only.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ContainerParams,
  example: { credentials: { TOKEN: "secret" } },
  body: z.object({ credentials: Variables, external_endpoint: text({ max: 2048 }).optional() }),
  response: { status: 200, schema: Container },
  refusals: [400],
  async handler({ services, caller, params, body }) {
    const { credentials, external_endpoint: externalEndpoint } = body;
    const access = { credentials, externalEndpoint };
    return describeChanged(services, await containers.setCredentials(services, caller, params, access));
  },
});
