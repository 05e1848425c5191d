import { z } from "zod";
import * as members from "#src/domain/programs/members/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TeamParams } from "./team.ts";

export const leaveTeam = endpoint({
  operationId: "leaveTeam",
  method: "post",
  path: "/api/teams/:team/leave",
  summary: "Leave a team",
  description: "The caller's API keys in the team are revoked.",
  tag: "Teams",
  access: { member: "team.view" },
  params: TeamParams,
  refusals: [409],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, client }) {
    await members.leaveTeam(services, caller, client);
    return null;
  },
});
