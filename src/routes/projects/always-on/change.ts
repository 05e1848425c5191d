import { z } from "zod";
import * as alwaysOn from "#src/domain/workspaces/always-on/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ProjectParams } from "../project.ts";

export const makeAlwaysOn = endpoint({
  operationId: "enableAlwaysOn",
  method: "post",
  path: "/api/projects/:project/deploy",
  summary: "Make a project always on",
  description:
    "The project is not hibernated for idleness, and starts if it does not run. Takes one of the team's places; see `GET /api/projects/deployment/limits`. Idempotent. Deployments to hosting providers are at `/api/deployments`.",
  tag: "Projects",
  access: { userOrKey: "project.edit" },
  countsAsActivity: true,
  params: ProjectParams,
  refusals: [402],
  response: {
    status: 200,
    schema: z.object({ message: z.string(), project_id: z.uuid(), deployed_at: Moment }),
  },
  async handler({ services, caller, params, client }) {
    const { projectId, since } = await alwaysOn.makeAlwaysOn(services, caller, params.project, client);
    return {
      message: "The project is always on",
      project_id: projectId,
      deployed_at: since.toISOString(),
    };
  },
});

export const endAlwaysOn = endpoint({
  operationId: "disableAlwaysOn",
  method: "delete",
  path: "/api/projects/:project/deploy",
  summary: "End always on",
  description: "Gives the team's place back. Idleness hibernates the project again. Idempotent.",
  tag: "Projects",
  access: { userOrKey: "project.edit" },
  countsAsActivity: true,
  params: ProjectParams,
  response: { status: 200, schema: z.object({ message: z.string(), project_id: z.uuid() }) },
  async handler({ services, caller, params, client }) {
    const { projectId } = await alwaysOn.endAlwaysOn(services, caller, params.project, client);
    return { message: "The project is no longer always on", project_id: projectId };
  },
});
