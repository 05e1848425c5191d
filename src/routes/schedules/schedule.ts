import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import { CATCH_UPS, EDIT_MODES, OVERLAPS } from "#src/db/schema/index.ts";
import { MAX_PROMPT_CHARS, type FoundSchedule } from "#src/domain/schedules/definitions/index.ts";
import { describeTiming } from "#src/domain/schedules/expressions/index.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const ScheduleParams = z.object({ schedule_id: z.string() });

const MAX_DELIVER_CHARS = 1_000;
export const MAX_SCHEDULE_CHARS = 200;
const MAX_REPEAT = 1_000_000;

const Name = text({ min: 1, max: 200, trim: true });
const When = text({ min: 1, max: MAX_SCHEDULE_CHARS, trim: true }).describe(
  "`every 30m`, `weekdays at 9:30am`, `in 2 hours`, an ISO 8601 moment, or a cron expression of five fields",
);
const Prompt = text({ min: 1, max: MAX_PROMPT_CHARS }).describe(
  "What the agent is told. `{date}`, `{time}`, `{weekday}` and `{schedule_name}` are filled in",
);
const Deliver = text({ min: 1, max: MAX_DELIVER_CHARS, trim: true }).describe(
  "`origin` (the chat that the schedule was made in), a platform (the home chat there), `<platform>:<chat id>`, several between commas, or `none`",
);

/** A text in either of its two names. */
export const ScheduleFields = {
  name: Name,
  schedule: When.nullish(),
  cron_expression: When.nullish().describe("Another name of `schedule`"),
  prompt_template: Prompt.nullish(),
  prompt: Prompt.nullish().describe("Another name of `prompt_template`"),
  deliver: Deliver,
  timezone: text({ min: 1, max: 100, trim: true }).describe("IANA name, such as `Europe/London`"),
  edit_mode: z
    .enum(EDIT_MODES)
    .describe("What dangerous tools may do in a run, where no person can be asked at once"),
  catch_up: z
    .enum(CATCH_UPS)
    .describe("What becomes of moments that were missed: one late run for all of them, or none"),
  overlap: z.enum(OVERLAPS).describe("What becomes of a moment that comes while the previous run is at work"),
};

export const Repeat = z.int().max(MAX_REPEAT);

/** A schedule as its owner sees it. */
export const Schedule = z
  .object({
    id: z.uuid(),
    project_id: z.uuid().nullable().describe("Null once the project is deleted"),
    agent_id: z.string().nullable().describe("Null for the project's default agent"),
    name: z.string(),
    schedule: z.string().describe("As it was written"),
    cron_expression: z.string().describe("As `schedule`"),
    normalized_cron: z.string().describe("The cron expression that it comes to; of a single run its moment"),
    description: z.string().describe("When it runs, in words"),
    timezone: z.string(),
    prompt_template: z.string(),
    prompt: z.string().describe("As `prompt_template`"),
    deliver: z.string(),
    edit_mode: z.enum(EDIT_MODES),
    catch_up: z.enum(CATCH_UPS),
    overlap: z.enum(OVERLAPS),
    repeat: z.int().nullable().describe("Runs after which it ends; null for none"),
    origin_platform: z.enum(PLATFORMS).nullable(),
    origin_chat_id: z.string().nullable(),
    origin_config_id: z.uuid().nullable(),
    is_active: z.boolean(),
    paused: z.boolean().describe("The opposite of `is_active`"),
    paused_reason: z.string().nullable().describe("Why the service paused it; null if a person did"),
    runs_completed: z.int(),
    next_run_at: Moment.nullable(),
    last_run_at: Moment.nullable(),
    last_status: z
      .string()
      .nullable()
      .describe("`enqueued`, `running`, `success`, `failed`, `skipped` or `delivery_failed`"),
    last_error: z.string().nullable(),
    last_task_id: z.uuid().nullable(),
    created_at: Moment,
    updated_at: Moment,
  })
  .meta({ id: "Schedule" });

export function describeSchedule({ schedule, undelivered }: FoundSchedule): z.input<typeof Schedule> {
  const isUndelivered = schedule.lastStatus === "success" && undelivered !== null;
  return {
    id: schedule.id,
    project_id: schedule.projectId,
    agent_id: schedule.agentId,
    name: schedule.name,
    schedule: schedule.schedule,
    cron_expression: schedule.schedule,
    normalized_cron: schedule.normalizedCron,
    description: describeTiming(schedule.timing, schedule.timezone),
    timezone: schedule.timezone,
    prompt_template: schedule.promptTemplate,
    prompt: schedule.promptTemplate,
    deliver: schedule.deliver,
    edit_mode: schedule.editMode,
    catch_up: schedule.catchUp,
    overlap: schedule.overlap,
    repeat: schedule.repeat,
    origin_platform: schedule.originPlatform,
    origin_chat_id: schedule.originChatId,
    origin_config_id: schedule.originConfigId,
    is_active: schedule.isActive,
    paused: !schedule.isActive,
    paused_reason: schedule.pausedReason,
    runs_completed: schedule.runsCompleted,
    next_run_at: schedule.nextRunAt?.toISOString() ?? null,
    last_run_at: schedule.lastRunAt?.toISOString() ?? null,
    last_status: isUndelivered ? "delivery_failed" : schedule.lastStatus,
    last_error: isUndelivered ? undelivered : schedule.lastError,
    last_task_id: schedule.lastTaskId,
    created_at: schedule.createdAt.toISOString(),
    updated_at: (schedule.updatedAt ?? schedule.createdAt).toISOString(),
  };
}
