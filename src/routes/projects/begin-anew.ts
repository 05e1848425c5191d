import { z } from "zod";
import { beginAnew } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";

export const beginProjectAnew = endpoint({
  operationId: "beginProjectAnew",
  method: "post",
  path: "/api/projects/:project/begin-anew",
  summary: "Begin a project anew",
  description:
    "For a project whose files are lost (`files_lost_at`) or could not be set up: it starts empty, or with a clone of its " +
    "repository. Returns at once; the project is `initializing` until its files are in place.",
  tag: "Projects",
  access: { userOrKey: "snapshot.restore" },
  countsAsActivity: true,
  params: ProjectParams,
  example: { from: "empty" },
  body: z.object({
    from: z
      .enum(["empty", "repository"])
      .describe(
        "`repository`: the repository that was cloned last; without a clone, the source of the project",
      ),
  }),
  response: {
    status: 202,
    schema: z.object({
      status: z.literal("initializing"),
      project_id: z.uuid(),
      status_endpoint: z.string(),
    }),
  },
  refusals: [409],
  async handler({ services, caller, params, body }) {
    const { id } = await beginAnew(services, caller, { project: params.project, from: body.from });
    return {
      status: "initializing" as const,
      project_id: id,
      status_endpoint: `/api/projects/${id}/status`,
    };
  },
});
