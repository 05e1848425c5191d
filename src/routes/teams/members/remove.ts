import { z } from "zod";
import { removeMember as remove } from "#src/domain/members/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { MemberParams } from "./member.ts";

export const removeMember = endpoint({
  method: "delete",
  path: "/api/teams/:team/members/:user",
  summary: "Take somebody out of a team at once, the keys they have there too",
  tag: "Teams",
  access: { member: "team.remove_member" },
  params: MemberParams,
  refusals: [409],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await remove(services, caller, params.user, client);
    return null;
  },
});
