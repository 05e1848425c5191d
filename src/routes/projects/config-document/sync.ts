import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { withWritableRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

const Sections = z.object({
  apps: z.number(),
  infrastructure: z.number(),
  connections: z.number(),
  deployments: z.number(),
  previews: z.number(),
});

export const syncConfig = endpoint({
  operationId: "syncConfigDocument",
  method: "post",
  path: "/api/projects/:project/sync-config",
  summary: "Write containers to the configuration",
  description: "Writes the project's containers into its configuration document.",
  tag: "Containers",
  access: { userOrKey: "container.edit" },
  countsAsActivity: true,
  params: ProjectParams,
  response: { status: 200, schema: z.object({ status: z.literal("saved"), sections: Sections }) },
  refusals: [409, 503],
  handler: ({ services, caller, params }) =>
    withWritableRuntime(
      services,
      { caller, project: params.project, scope: "container.edit" },
      async (runtime, project) => {
        const document = await containers.syncConfig(services, project, runtime);
        const sections = {
          apps: Object.keys(document.apps).length,
          infrastructure: Object.keys(document.infrastructure).length,
          connections: document.connections.length,
          deployments: Object.keys(document.deployments).length,
          previews: Object.keys(document.previews).length,
        };
        return { status: "saved" as const, sections };
      },
    ),
});
