import { z } from "zod";
import { requireSchedule } from "#src/domain/schedules/definitions/index.ts";
import { triggerRun } from "#src/domain/schedules/runs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ScheduleParams } from "./schedule.ts";

export const triggerSchedule = endpoint({
  operationId: "triggerSchedule",
  method: "post",
  path: "/api/schedules/:schedule_id/trigger",
  aliases: ["/api/schedules/:schedule_id/run"],
  summary: "Run a schedule now",
  description:
    "Also a paused one. Its clock and the count of its runs stay as they are; the result is delivered as that of every run.",
  tag: "Schedules",
  access: { user: "any" },
  params: ScheduleParams,
  refusals: [402, 429],
  response: { status: 200, schema: z.object({ status: z.literal("triggered"), task_id: z.uuid() }) },
  async handler({ services, caller, params }) {
    const { schedule } = await requireSchedule(services, caller, params.schedule_id);
    return { status: "triggered" as const, task_id: await triggerRun(services, schedule.id) };
  },
});
