import { z } from "zod";
import * as members from "#src/domain/programs/members/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { PAGES, pageQuery, replyWithPage } from "#src/http/list-page.ts";
import { TeamParams } from "../team.ts";
import { describeMember, Member, memberCursor, MemberCursor } from "../../members.ts";

export const listMembers = endpoint({
  operationId: "listTeamMembers",
  method: "get",
  path: "/api/teams/:team/members",
  summary: "List team members",
  description: `In the order of joining. ${PAGES}.`,
  tag: "Teams",
  access: { member: "team.view" },
  params: TeamParams,
  query: pageQuery(MemberCursor),
  response: { status: 200, schema: z.array(Member) },
  async handler({ services, caller, query }) {
    const found = await members.listMembers(services, caller.membership.teamId, {
      ...query,
      after: query.cursor,
    });
    return replyWithPage(found, query, { describe: describeMember, cursorOf: memberCursor });
  },
});
