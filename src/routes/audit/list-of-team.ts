import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";
import { answerPage, AuditEntry } from "./entry.ts";
import { filterOf, PagedFilter } from "./filter.ts";

export const listTeamAuditLog = endpoint({
  operationId: "listTeamAuditLog",
  method: "get",
  path: "/api/teams/:team/audit-log",
  summary: "List a team's audit log",
  description: "Newest first. `X-Total-Count` is the total number.",
  tag: "Audit log",
  access: { member: "audit.view" },
  params: z.object({ team: z.string().describe("Slug of the team") }),
  query: PagedFilter,
  response: { status: 200, schema: z.array(AuditEntry) },
  handler: ({ services, caller, query }) =>
    answerPage(services, filterOf(caller.membership.teamId, query), query),
});
