import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { email } from "#src/http/schemas.ts";
import { describeMember, Member, Role } from "../../members.ts";
import { ProjectParams } from "../project.ts";

const Body = z
  .object({
    user_id: z.uuid().nullish().describe("Id of the account; or use `email`"),
    email: email().nullish(),
    role: Role,
  })
  .refine(
    (body) => (body.user_id ?? null) === null || (body.email ?? null) === null,
    "name the person by user_id or by email, not by both",
  )
  .refine((body) => body.user_id ?? body.email, "user_id or email is required");

export const addProjectMember = endpoint({
  operationId: "addProjectMember",
  method: "post",
  path: "/api/projects/:project/members",
  summary: "Add a project member",
  description:
    "Gives a member of the project's team a role in the project. The caller must be the project's administrator.",
  tag: "Projects",
  access: { user: "any" },
  countsAsActivity: true,
  params: ProjectParams,
  example: { email: "grace@example.com", role: "viewer" },
  body: Body,
  refusals: [409],
  response: { status: 201, schema: Member },
  async handler({ services, caller, params, body, client }) {
    const person = { userId: body.user_id ?? undefined, email: body.email ?? undefined };
    const asked = { caller, project: params.project, client };
    return describeMember(await projects.addProjectMember(services, asked, person, body.role));
  },
});
