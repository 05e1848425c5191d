import { z } from "zod";
import * as schedules from "#src/domain/schedules/definitions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentId } from "#src/http/schemas.ts";
import { describeSchedule, Repeat, Schedule, ScheduleFields, ScheduleParams } from "./schedule.ts";

const Body = z.object({
  name: ScheduleFields.name.nullish(),
  schedule: ScheduleFields.schedule,
  cron_expression: ScheduleFields.cron_expression,
  prompt_template: ScheduleFields.prompt_template,
  prompt: ScheduleFields.prompt,
  agent_id: z
    .union([AgentId, z.literal("")])
    .nullish()
    .describe('`""` for the default agent'),
  deliver: ScheduleFields.deliver.nullish(),
  timezone: ScheduleFields.timezone.nullish(),
  edit_mode: ScheduleFields.edit_mode.nullish(),
  catch_up: ScheduleFields.catch_up.nullish(),
  overlap: ScheduleFields.overlap.nullish(),
  repeat: Repeat.min(0).nullish().describe("Runs after which it ends; 0 for none"),
});

export const updateSchedule = endpoint({
  operationId: "updateSchedule",
  method: "patch",
  path: "/api/schedules/:schedule_id",
  summary: "Update a schedule",
  description:
    "Fields that are absent or null are unchanged. Another text or time zone counts from now. A run in progress goes on as it began.",
  tag: "Schedules",
  access: { user: "any" },
  params: ScheduleParams,
  example: { name: "Morning report" },
  body: Body,
  refusals: [400],
  response: { status: 200, schema: Schedule },
  async handler({ services, caller, params, body }) {
    const changed = await schedules.updateSchedule(services, caller, params.schedule_id, {
      name: body.name ?? undefined,
      schedule: body.schedule ?? body.cron_expression ?? undefined,
      promptTemplate: body.prompt_template ?? body.prompt ?? undefined,
      agentId: body.agent_id === "" ? null : (body.agent_id ?? undefined),
      deliver: body.deliver ?? undefined,
      timezone: body.timezone ?? undefined,
      editMode: body.edit_mode ?? undefined,
      catchUp: body.catch_up ?? undefined,
      overlap: body.overlap ?? undefined,
      repeat: body.repeat === 0 ? null : (body.repeat ?? undefined),
    });
    return describeSchedule({ schedule: changed, undelivered: null });
  },
});
