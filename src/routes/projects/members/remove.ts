import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { MemberParams } from "./member.ts";

export const removeProjectMember = endpoint({
  operationId: "removeProjectMember",
  method: "delete",
  path: "/api/projects/:project/members/:user",
  summary: "Remove a project member",
  description:
    "The person keeps the role that they have in the project's team. The caller must be the project's administrator.",
  tag: "Projects",
  access: { user: "any" },
  countsAsActivity: true,
  params: MemberParams,
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await projects.removeProjectMember(services, { caller, project: params.project, client }, params.user);
    return null;
  },
});
