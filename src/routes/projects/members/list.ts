import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { PAGES, pageQuery, replyWithPage } from "#src/http/list-page.ts";
import { describeMember, Member, memberCursor, MemberCursor } from "../../members.ts";
import { ProjectParams } from "../project.ts";

export const listProjectMembers = endpoint({
  operationId: "listProjectMembers",
  method: "get",
  path: "/api/projects/:project/members",
  summary: "List project members",
  description: `People with a role in the project itself. Other people have the role that they have in its team. ${PAGES}.`,
  tag: "Projects",
  access: { user: "any" },
  params: ProjectParams,
  query: pageQuery(MemberCursor),
  response: { status: 200, schema: z.array(Member) },
  async handler({ services, caller, params, query }) {
    const found = await projects.listProjectMembers(services, caller, params.project, {
      ...query,
      after: query.cursor,
    });
    return replyWithPage(found, query, { describe: describeMember, cursorOf: memberCursor });
  },
});
