import { z } from "zod";
import * as schedules from "#src/domain/schedules/definitions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ScheduleParams } from "./schedule.ts";

export const deleteSchedule = endpoint({
  operationId: "deleteSchedule",
  method: "delete",
  path: "/api/schedules/:schedule_id",
  summary: "Delete a schedule",
  description:
    "Deletes the schedule and the list of its runs. The chats of its runs stay, and a run in progress goes on.",
  tag: "Schedules",
  access: { user: "any" },
  params: ScheduleParams,
  response: { status: 200, schema: z.object({ status: z.literal("deleted"), id: z.string() }) },
  async handler({ services, caller, params }) {
    await schedules.deleteSchedule(services, caller, params.schedule_id);
    return { status: "deleted" as const, id: params.schedule_id };
  },
});
