import { z } from "zod";
import { removeProjectMember as remove } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { MemberParams } from "./member.ts";

export const removeProjectMember = endpoint({
  method: "delete",
  path: "/api/projects/:project/members/:user",
  summary: "Take somebody's role in a project, as its administrator; the one in its team counts again",
  tag: "Projects",
  access: { user: "any" },
  params: MemberParams,
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await remove(services, { caller, project: params.project, client }, params.user);
    return null;
  },
});
