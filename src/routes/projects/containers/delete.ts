import { z } from "zod";
import { deleteContainer as removeContainer } from "#src/domain/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ContainerParams } from "./container.ts";

export const deleteContainer = endpoint({
  method: "delete",
  path: "/api/projects/:project/containers/:container",
  summary: "Remove a container and end its program; its files stay",
  tag: "Containers",
  access: { userOrKey: "container.delete" },
  params: ContainerParams,
  response: { status: 200, schema: z.object({ message: z.string() }) },
  async handler({ services, caller, params }) {
    const { name } = await removeContainer(services, caller, params);
    return { message: `Container ${name} deleted` };
  },
});
