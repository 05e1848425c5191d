import * as invitations from "#src/domain/organisations/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeTeam, Team } from "../team.ts";
import { TokenParams } from "./invitation.ts";

export const acceptInvitation = endpoint({
  operationId: "acceptInvitation",
  method: "post",
  path: "/api/teams/invitations/:token/accept",
  summary: "Accept an invitation",
  description:
    "The caller joins the team. Only the account with the invited address can accept an invitation for an address.",
  tag: "Teams",
  access: { user: "any" },
  params: TokenParams,
  refusals: [409, 410],
  response: { status: 200, schema: Team },
  handler: async ({ services, caller, params, client }) =>
    describeTeam(await invitations.acceptInvitation(services, caller, params.token, client)),
});
