import { z } from "zod";
import * as schedules from "#src/domain/schedules/definitions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ScheduleParams } from "./schedule.ts";

export const pauseSchedule = endpoint({
  operationId: "pauseSchedule",
  method: "post",
  path: "/api/schedules/:schedule_id/pause",
  summary: "Pause a schedule",
  description: "A run in progress goes on.",
  tag: "Schedules",
  access: { user: "any" },
  params: ScheduleParams,
  response: { status: 200, schema: z.object({ status: z.literal("paused"), id: z.uuid() }) },
  async handler({ services, caller, params }) {
    const { id } = await schedules.pauseSchedule(services, caller, params.schedule_id);
    return { status: "paused" as const, id };
  },
});

export const resumeSchedule = endpoint({
  operationId: "resumeSchedule",
  method: "post",
  path: "/api/schedules/:schedule_id/resume",
  summary: "Resume a schedule",
  description: "It goes on from now: what it missed while it was paused is not made up for.",
  tag: "Schedules",
  access: { user: "any" },
  params: ScheduleParams,
  refusals: [400, 429],
  response: {
    status: 200,
    schema: z.object({ status: z.literal("resumed"), id: z.uuid(), next_run_at: Moment.nullable() }),
  },
  async handler({ services, caller, params }) {
    const { id, nextRunAt } = await schedules.resumeSchedule(services, caller, params.schedule_id);
    return { status: "resumed" as const, id, next_run_at: nextRunAt?.toISOString() ?? null };
  },
});
