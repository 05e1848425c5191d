import { z } from "zod";
import { createLink as make } from "#src/domain/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Role } from "../../members.ts";
import { describeInvitation, Invitation } from "../invitations/invitation.ts";
import { TeamParams } from "../team.ts";

const Link = Invitation.extend({
  invite_url: z.string().describe("Address to join at, in this answer only"),
}).meta({ id: "InvitationLink" });

export const createLink = endpoint({
  method: "post",
  path: "/api/teams/:team/members/link",
  summary: "Make an address by which anybody with an account may join a team",
  tag: "Teams",
  access: { member: "team.invite" },
  params: TeamParams,
  body: z.object({
    role: Role,
    max_uses: z.int().min(1).max(10_000).nullish().describe("How many may join by it; no limit when absent"),
    expires_in_days: z.int().min(1).max(365).default(30),
  }),
  response: { status: 201, schema: Link },
  async handler({ services, caller, body, client }) {
    const wish = { role: body.role, maxUses: body.max_uses ?? null, days: body.expires_in_days };
    const { invitation, url } = await make(services, caller, wish, client);
    return { ...describeInvitation(invitation), invite_url: url };
  },
});
