import { z } from "zod";
import * as shells from "#src/domain/workspaces/shells/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const listTargets = endpoint({
  operationId: "listTerminalTargets",
  method: "get",
  path: "/api/terminal/:project/targets",
  summary: "List terminal targets",
  description: "The values that `target` of the socket /api/terminal/{project}/connect takes.",
  tag: "Shells",
  access: { userOrKey: "terminal.access" },
  params: z.object({ project: z.string().describe("Id or slug of the project") }),
  refusals: [404],
  response: {
    status: 200,
    schema: z.object({
      targets: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          type: z.string(),
          status: z.string(),
          port: z.number().int().nullable(),
          container_directory: z.string(),
        }),
      ),
      actions: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
    }),
  },
  async handler({ services, caller, params }) {
    const { targets, actions } = await shells.listTargets(services, caller, params.project);
    return {
      targets: targets.map(({ directory, ...target }) => ({ ...target, container_directory: directory })),
      actions: [...actions],
    };
  },
});
