import { z } from "zod";
import { listContainers } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { ProjectParams } from "../project.ts";

export const getDevServerUrl = endpoint({
  operationId: "getDevServerUrl",
  method: "get",
  path: "/api/projects/:project/dev-server-url",
  summary: "Get the dev server address",
  description: "A project has no address of its own: each of its containers has one.",
  tag: "Containers",
  access: { userOrKey: "container.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({ url: z.null(), status: z.literal("multi_container"), message: z.string() }),
  },
  refusals: [400],
  async handler({ services, caller, params }) {
    const { containers } = await listContainers(services, caller, params.project);
    if (containers.length === 0) throw new AppError("invalid_input", "The project has no containers");
    return {
      url: null,
      status: "multi_container" as const,
      message: "Each container has an address of its own: see GET …/containers/status",
    };
  },
});
