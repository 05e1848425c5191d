import { acceptInvitation as accept } from "#src/domain/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeTeam, Team } from "../team.ts";
import { TokenParams } from "./invitation.ts";

export const acceptInvitation = endpoint({
  method: "post",
  path: "/api/teams/invitations/:token/accept",
  summary: "Join the team of an invitation; one for an address is for the account that has it",
  tag: "Teams",
  access: { user: "any" },
  params: TokenParams,
  refusals: [409, 410],
  response: { status: 200, schema: Team },
  handler: async ({ services, caller, params, client }) =>
    describeTeam(await accept(services, caller, params.token, client)),
});
