import { z } from "zod";
import { exportAuditLog } from "#src/domain/access/audit/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Filter, filterOf } from "./filter.ts";

export const exportTeamAuditLog = endpoint({
  operationId: "exportTeamAuditLog",
  method: "post",
  path: "/api/teams/:team/audit-log/export",
  summary: "Export a team's audit log",
  description: "The newest 10000 entries as CSV. `X-Total-Count` is the total number.",
  tag: "Audit log",
  access: { member: "audit.export" },
  params: z.object({ team: z.string().describe("Slug of the team") }),
  example: { resource_type: "project" },
  body: Filter,
  response: { status: 200, schema: z.string(), mediaType: "text/csv", description: "The entries as CSV" },
  async handler({ services, caller, params, body, client }) {
    const filter = filterOf(caller.membership.teamId, body);
    const { csv, total } = await exportAuditLog(services, filter, { userId: caller.userId, client });
    return new Response(csv, {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="audit-log-${params.team}.csv"`,
        "cache-control": "no-store",
        "x-total-count": String(total),
      },
    });
  },
});
