import { z } from "zod";
import * as admin from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { dayOrMoment, Moment, text } from "#src/http/schemas.ts";
import { PageFields, Search } from "./user.ts";

const Action = z
  .object({
    id: z.uuid(),
    admin_id: z.uuid().nullable().describe("null once the account is gone"),
    admin_name: z.string().nullable(),
    action_type: z.string(),
    target_type: z.string(),
    target_id: z.string(),
    reason: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).nullable(),
    ip_address: z.string().nullable(),
    created_at: Moment,
  })
  .meta({ id: "AdminAction" });

export const listActions = endpoint({
  operationId: "listAdminActions",
  method: "get",
  path: "/api/admin/audit-logs",
  summary: "List administrator actions",
  description: "What administrators did to accounts, newest first.",
  tag: "Administration",
  access: { user: "superuser" },
  query: z.object({
    search: Search.optional().describe(
      "Part of an action, a target's id, a reason or an administrator's name",
    ),
    action_type: text({ max: 100 }).optional().describe("Such as `account.disabled`"),
    admin_id: z.uuid().optional(),
    target_type: text({ max: 100 }).optional(),
    date_from: dayOrMoment().optional().describe("Earliest time; a date means its midnight, UTC"),
    date_to: dayOrMoment().optional().describe("Latest time; a date means its midnight, UTC"),
    ...PageFields,
  }),
  response: {
    status: 200,
    schema: z.object({ logs: z.array(Action), total: z.int(), page: z.int(), pages: z.int() }),
  },
  handler: ({ services, query }) =>
    admin.listActions(
      services,
      {
        search: query.search,
        actionType: query.action_type,
        adminId: query.admin_id,
        targetType: query.target_type,
        from: query.date_from,
        to: query.date_to,
      },
      { page: query.page, pageSize: query.page_size },
    ),
});
