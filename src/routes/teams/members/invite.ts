import { z } from "zod";
import * as invitations from "#src/domain/organisations/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { email } from "#src/http/schemas.ts";
import { Role } from "../../members.ts";
import { describeInvitation, Invitation } from "../invitations/invitation.ts";
import { TeamParams } from "../team.ts";

const Invited = Invitation.extend({
  mail: z
    .enum(["sent", "retrying", "not_configured"])
    .describe(
      "`retrying`: the queue sends it again; `not_configured`: give `invite_url` to the person yourself",
    ),
  invite_url: z
    .string()
    .describe("Address at which to accept the invitation; returned only in this response"),
}).meta({ id: "InvitedMember" });

export const inviteMember = endpoint({
  operationId: "inviteTeamMember",
  method: "post",
  path: "/api/teams/:team/members/invite",
  summary: "Invite a member by email",
  description:
    "The invitation is valid for seven days. It replaces an earlier invitation for the same address.",
  tag: "Teams",
  access: { member: "team.invite" },
  params: TeamParams,
  example: { email: "grace@example.com", role: "editor" },
  body: z.object({ email: email(), role: Role }),
  refusals: [409],
  response: { status: 201, schema: Invited },
  async handler({ services, caller, body, client }) {
    const { invitation, url, mail } = await invitations.inviteMember(services, caller, body, client);
    return { ...describeInvitation(invitation), mail, invite_url: url };
  },
});
