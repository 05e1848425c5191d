import { z } from "zod";
import * as invitations from "#src/domain/organisations/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TeamParams } from "../team.ts";

export const revokeInvitation = endpoint({
  operationId: "revokeTeamInvitation",
  method: "delete",
  path: "/api/teams/:team/invitations/:invitation",
  summary: "Revoke an invitation",
  tag: "Teams",
  access: { member: "team.invite" },
  params: TeamParams.extend({ invitation: z.string().describe("Id of the invitation") }),
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await invitations.revokeInvitation(services, caller, params.invitation, client);
    return null;
  },
});
