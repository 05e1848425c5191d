import { z } from "zod";
import { checkHealth, openContainer } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { addressesOf, ContainerParams } from "./container.ts";

export const getContainerHealth = endpoint({
  operationId: "getContainerHealth",
  method: "get",
  path: "/api/projects/:project/containers/:container/health",
  summary: "Check a container's health",
  description: "Healthy means a response with a status below 400 within 5 seconds.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ContainerParams,
  response: {
    status: 200,
    schema: z.object({
      healthy: z.boolean(),
      status_code: z.number().optional(),
      url: z.string().nullable(),
      error: z.string().optional(),
    }),
  },
  async handler({ services, caller, params }) {
    const { project, container } = await openContainer(services, caller, params, "container.view");
    const { url } = addressesOf(container, { config: services.config, project });
    const { status, ...health } = await checkHealth(
      services,
      container,
      services.workspaces.runtime(project.id),
    );
    return { ...health, url, ...(status !== undefined && { status_code: status }) };
  },
});
