import { z } from "zod";
import { inviteMember as inviteByMail } from "#src/domain/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { email } from "#src/http/schemas.ts";
import { Role } from "../../members.ts";
import { describeInvitation, Invitation } from "../invitations/invitation.ts";
import { TeamParams } from "../team.ts";

const Invited = Invitation.extend({
  mail: z
    .enum(["sent", "retrying", "not_configured"])
    .describe("`retrying`: the queue tries again; `not_configured`: pass `invite_url` on by hand"),
  invite_url: z.string().describe("Address to accept it at, in this answer only"),
}).meta({ id: "InvitedMember" });

export const inviteMember = endpoint({
  method: "post",
  path: "/api/teams/:team/members/invite",
  summary: "Invite the holder of an address by mail, for seven days; an earlier invitation for it is over",
  tag: "Teams",
  access: { member: "team.invite" },
  params: TeamParams,
  body: z.object({ email: email(), role: Role }),
  refusals: [409],
  response: { status: 201, schema: Invited },
  async handler({ services, caller, body, client }) {
    const { invitation, url, mail } = await inviteByMail(services, caller, body, client);
    return { ...describeInvitation(invitation), mail, invite_url: url };
  },
});
