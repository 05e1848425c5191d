import { z } from "zod";
import * as invitations from "#src/domain/organisations/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TeamParams } from "../team.ts";
import { describeInvitation, Invitation } from "./invitation.ts";

const Listed = Invitation.extend({ inviter_name: z.string().nullable() }).meta({ id: "Invitation" });

export const listInvitations = endpoint({
  operationId: "listTeamInvitations",
  method: "get",
  path: "/api/teams/:team/invitations",
  summary: "List team invitations",
  description: "Invitations that can still be accepted, newest first.",
  tag: "Teams",
  access: { member: "team.invite" },
  params: TeamParams,
  response: { status: 200, schema: z.array(Listed) },
  handler: async ({ services, caller }) =>
    (await invitations.listInvitations(services, caller.membership.teamId)).map(
      ({ invitation, inviterName }) => ({
        ...describeInvitation(invitation),
        inviter_name: inviterName,
      }),
    ),
});
