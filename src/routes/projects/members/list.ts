import { z } from "zod";
import { listProjectMembers as membersOf } from "#src/domain/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeMember, Member } from "../../members.ts";
import { ProjectParams } from "../project.ts";

export const listProjectMembers = endpoint({
  method: "get",
  path: "/api/projects/:project/members",
  summary: "People with a role of their own in a project; others go by their role in its team",
  tag: "Projects",
  access: { user: "any" },
  params: ProjectParams,
  response: { status: 200, schema: z.array(Member) },
  handler: async ({ services, caller, params }) =>
    (await membersOf(services, caller, params.project)).map(describeMember),
});
