import { z } from "zod";
import type { AuditFilter } from "#src/domain/access/audit/index.ts";
import { dayOrMoment, text } from "#src/http/schemas.ts";

/** Filters of an audit log; without any, all entries. */
export const Filter = z.object({
  action: text({ max: 100 }).optional().describe("Action, such as `session.started`"),
  user_id: z.uuid().optional().describe("Account that did it"),
  project_id: z.uuid().optional(),
  resource_type: text({ max: 100 }).optional().describe("Kind of the target, such as `api_key`"),
  from_date: dayOrMoment().optional().describe("Earliest time; a date means its midnight, UTC"),
  to_date: dayOrMoment().optional().describe("Latest time; a date means its midnight, UTC"),
});

export const PagedFilter = Filter.extend({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  per_page: z.coerce.number().int().min(1).max(100).default(50),
});

export function filterOf(teamId: string, given: z.output<typeof Filter>): AuditFilter {
  return {
    teamId,
    projectId: given.project_id,
    userId: given.user_id,
    action: given.action,
    resourceType: given.resource_type,
    from: given.from_date,
    to: given.to_date,
  };
}
