import { z } from "zod";
import { listMembers as membersOf } from "#src/domain/members/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { PAGES, pageQuery, replyWithPage } from "#src/http/list-page.ts";
import { TeamParams } from "../team.ts";
import { describeMember, Member, memberCursor, MemberCursor } from "../../members.ts";

export const listMembers = endpoint({
  method: "get",
  path: "/api/teams/:team/members",
  summary: `Who belongs to a team, in the order of joining. ${PAGES}`,
  tag: "Teams",
  access: { member: "team.view" },
  params: TeamParams,
  query: pageQuery(MemberCursor),
  response: { status: 200, schema: z.array(Member) },
  async handler({ services, caller, query }) {
    const found = await membersOf(services, caller.membership.teamId, { ...query, after: query.cursor });
    return replyWithPage(found, query, { describe: describeMember, cursorOf: memberCursor });
  },
});
