import { z } from "zod";
import { listMembers as membersOf } from "#src/domain/members/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TeamParams } from "../team.ts";
import { describeMember, Member } from "../../members.ts";

export const listMembers = endpoint({
  method: "get",
  path: "/api/teams/:team/members",
  summary: "Who belongs to a team, in the order of joining",
  tag: "Teams",
  access: { member: "team.view" },
  params: TeamParams,
  response: { status: 200, schema: z.array(Member) },
  handler: async ({ services, caller }) =>
    (await membersOf(services, caller.membership.teamId)).map(describeMember),
});
