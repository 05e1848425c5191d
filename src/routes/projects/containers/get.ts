import { listContainers, requireContainer } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Container, ContainerParams, describeContainer } from "./container.ts";

export const getContainer = endpoint({
  operationId: "getContainer",
  method: "get",
  path: "/api/projects/:project/containers/:container",
  summary: "Get a container",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ContainerParams,
  response: { status: 200, schema: Container },
  async handler({ services, caller, params }) {
    const all = await listContainers(services, caller, params.project);
    const container = await requireContainer(services, all.project.id, params.container);
    return describeContainer(container, { ...all, config: services.config });
  },
});
