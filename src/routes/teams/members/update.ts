import { z } from "zod";
import { changeRole } from "#src/domain/programs/members/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeMember, Member, Role } from "../../members.ts";
import { MemberParams } from "./member.ts";

export const updateMember = endpoint({
  operationId: "updateTeamMember",
  method: "patch",
  path: "/api/teams/:team/members/:user",
  summary: "Change a member's role",
  description: "It applies from the next request, also to the member's API keys.",
  tag: "Teams",
  access: { member: "team.change_role" },
  params: MemberParams,
  example: { role: "editor" },
  body: z.object({ role: Role }),
  refusals: [409],
  response: { status: 200, schema: Member },
  handler: async ({ services, caller, params, body, client }) =>
    describeMember(await changeRole(services, caller, params.user, body.role, client)),
});
