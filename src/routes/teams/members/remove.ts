import { z } from "zod";
import * as members from "#src/domain/programs/members/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { MemberParams } from "./member.ts";

export const removeMember = endpoint({
  operationId: "removeTeamMember",
  method: "delete",
  path: "/api/teams/:team/members/:user",
  summary: "Remove a team member",
  description: "Takes effect at once. The member's API keys in the team are revoked.",
  tag: "Teams",
  access: { member: "team.remove_member" },
  params: MemberParams,
  refusals: [409],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await members.removeMember(services, caller, params.user, client);
    return null;
  },
});
