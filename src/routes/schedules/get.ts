import { requireSchedule } from "#src/domain/schedules/definitions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeSchedule, Schedule, ScheduleParams } from "./schedule.ts";

export const getSchedule = endpoint({
  operationId: "getSchedule",
  method: "get",
  path: "/api/schedules/:schedule_id",
  summary: "Get a schedule",
  tag: "Schedules",
  access: { user: "any" },
  params: ScheduleParams,
  response: { status: 200, schema: Schedule },
  handler: async ({ services, caller, params }) =>
    describeSchedule(await requireSchedule(services, caller, params.schedule_id)),
});
