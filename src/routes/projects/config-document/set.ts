import { z } from "zod";
import { applyConfig, ConfigDocument } from "#src/domain/workspaces/containers/index.ts";
import { withWritableRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

export const setSetupConfig = endpoint({
  operationId: "setConfigDocument",
  method: "post",
  path: "/api/projects/:project/setup-config",
  summary: "Set the configuration document",
  description:
    "Writes the document and creates its containers. The values of variables are not written to the document.",
  tag: "Containers",
  access: { userOrKey: "container.create" },
  countsAsActivity: true,
  params: ProjectParams,
  example: { primaryApp: "web", apps: { web: { directory: ".", port: 3000, start: "npm run dev" } } },
  body: ConfigDocument,
  response: {
    status: 200,
    schema: z.object({ container_ids: z.array(z.uuid()), primary_container_id: z.uuid().nullable() }),
  },
  refusals: [400, 409, 503],
  handler: ({ services, caller, params, body }) =>
    withWritableRuntime(
      services,
      { caller, project: params.project, scope: "container.create" },
      async (runtime, project) => {
        const made = await applyConfig(services, project, runtime, body);
        return { container_ids: made.containerIds, primary_container_id: made.primaryContainerId };
      },
    ),
});
