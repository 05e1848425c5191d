import { z } from "zod";
import { changeProjectRole } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeMember, Member, Role } from "../../members.ts";
import { MemberParams } from "./member.ts";

export const updateProjectMember = endpoint({
  operationId: "updateProjectMember",
  method: "patch",
  path: "/api/projects/:project/members/:user",
  summary: "Change a project member's role",
  description: "The caller must be the project's administrator.",
  tag: "Projects",
  access: { user: "any" },
  countsAsActivity: true,
  params: MemberParams,
  example: { role: "viewer" },
  body: z.object({ role: Role }),
  response: { status: 200, schema: Member },
  async handler({ services, caller, params, body, client }) {
    const asked = { caller, project: params.project, client };
    return describeMember(await changeProjectRole(services, asked, params.user, body.role));
  },
});
