import { z } from "zod";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { answerPage, AuditEntry } from "./entry.ts";
import { filterOf, PagedFilter } from "./filter.ts";

export const listProjectAuditLog = endpoint({
  operationId: "listProjectAuditLog",
  method: "get",
  path: "/api/teams/:team/projects/:project/audit-log",
  summary: "List a project's audit log",
  description: "Newest first. `X-Total-Count` is the total number.",
  tag: "Audit log",
  access: { member: "project.view" },
  params: z.object({
    team: z.string().describe("Slug of the team"),
    project: z.string().describe("Id or slug of the project"),
  }),
  query: PagedFilter,
  response: { status: 200, schema: z.array(AuditEntry) },
  async handler({ services, caller, params, query }) {
    const { teamId } = caller.membership;
    const project = await requireProject(services, caller, params.project, "project.view");
    if (project.teamId !== teamId) throw new AppError("not_found", "Project not found");
    return answerPage(services, { ...filterOf(teamId, query), projectId: project.id }, query);
  },
});
