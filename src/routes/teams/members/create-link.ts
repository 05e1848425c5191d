import { z } from "zod";
import * as invitations from "#src/domain/organisations/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Role } from "../../members.ts";
import { describeInvitation, Invitation } from "../invitations/invitation.ts";
import { TeamParams } from "../team.ts";

const Link = Invitation.extend({
  invite_url: z.string().describe("Address at which to join; returned only in this response"),
}).meta({ id: "InvitationLink" });

export const createLink = endpoint({
  operationId: "createTeamInvitationLink",
  method: "post",
  path: "/api/teams/:team/members/link",
  summary: "Create an invitation link",
  description: "Any account can join the team with the link.",
  tag: "Teams",
  access: { member: "team.invite" },
  params: TeamParams,
  example: { role: "editor" },
  body: z.object({
    role: Role,
    max_uses: z
      .int()
      .min(1)
      .max(10_000)
      .nullish()
      .describe("How many people may join with the link; no limit when absent"),
    expires_in_days: z.int().min(1).max(365).default(30),
  }),
  response: { status: 201, schema: Link },
  async handler({ services, caller, body, client }) {
    const wish = { role: body.role, maxUses: body.max_uses ?? null, days: body.expires_in_days };
    const { invitation, url } = await invitations.createLink(services, caller, wish, client);
    return { ...describeInvitation(invitation), invite_url: url };
  },
});
