import { z } from "zod";
import { listProjectMembers as membersOf } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { PAGES, pageQuery, replyWithPage } from "#src/http/list-page.ts";
import { describeMember, Member, memberCursor, MemberCursor } from "../../members.ts";
import { ProjectParams } from "../project.ts";

export const listProjectMembers = endpoint({
  method: "get",
  path: "/api/projects/:project/members",
  summary: `People with a role of their own in a project; others go by their role in its team. ${PAGES}`,
  tag: "Projects",
  access: { user: "any" },
  params: ProjectParams,
  query: pageQuery(MemberCursor),
  response: { status: 200, schema: z.array(Member) },
  async handler({ services, caller, params, query }) {
    const found = await membersOf(services, caller, params.project, { ...query, after: query.cursor });
    return replyWithPage(found, query, { describe: describeMember, cursorOf: memberCursor });
  },
});
