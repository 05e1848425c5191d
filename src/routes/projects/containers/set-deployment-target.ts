import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { Container, ContainerParams, describeChanged } from "./container.ts";

export const setDeploymentTarget = endpoint({
  operationId: "setContainerDeploymentTarget",
  method: "patch",
  path: "/api/projects/:project/containers/:container/deployment-target",
  summary: "Set a deployment target",
  description: "Where the container is deployed. Null means nowhere.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ContainerParams,
  example: { provider: "netlify" },
  body: z.object({ provider: text({ min: 1, max: 100 }).nullable() }),
  response: { status: 200, schema: Container },
  async handler({ services, caller, params, body }) {
    return describeChanged(
      services,
      await containers.setDeploymentTarget(services, caller, params, body.provider),
    );
  },
});
