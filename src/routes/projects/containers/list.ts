import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { Container, describeContainer } from "./container.ts";

export const listContainers = endpoint({
  operationId: "listContainers",
  method: "get",
  path: "/api/projects/:project/containers",
  summary: "List containers",
  description: "Oldest first.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ProjectParams,
  response: { status: 200, schema: z.array(Container) },
  async handler({ services, caller, params }) {
    const all = await containers.listContainers(services, caller, params.project);
    const around = { ...all, config: services.config };
    return all.containers.map((container) => describeContainer(container, around));
  },
});
