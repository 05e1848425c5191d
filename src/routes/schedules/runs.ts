import { z } from "zod";
import { RUN_STATUSES } from "#src/db/schema/index.ts";
import { listRuns as list, type ShownRun } from "#src/domain/schedules/runs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ScheduleParams } from "./schedule.ts";

const MOST = 200;

const Run = z
  .object({
    id: z.uuid(),
    schedule_id: z.uuid(),
    trigger: z.enum(["schedule", "manual"]),
    scheduled_for: Moment.nullable().describe("The moment that it is the run of; null for one by hand"),
    status: z.enum(RUN_STATUSES),
    late: z.boolean().describe("Whether it began much later than its moment"),
    missed: z.int().describe("Later moments that it stands for as well, because the service was off"),
    task_id: z.uuid().nullable().describe("Null until the task is started"),
    chat_id: z.uuid().nullable(),
    error: z.string().nullable().describe("Why it failed or was skipped"),
    silent: z.boolean().describe("Whether the agent had nothing to say, so that nothing was delivered"),
    deliveries: z.array(
      z.object({
        target: z.string(),
        status: z
          .enum(["delivered", "pending", "failed", "in_app"])
          .describe("`in_app`: the result is in the project's chat alone"),
        error: z.string().nullable(),
        channel_config_id: z.uuid().nullable(),
        jid: z.string().nullable().describe("`<platform>:<chat id>`"),
      }),
    ),
    created_at: Moment,
    started_at: Moment.nullable(),
    finished_at: Moment.nullable(),
  })
  .meta({ id: "ScheduleRun" });

export const listRuns = endpoint({
  operationId: "listScheduleRuns",
  method: "get",
  path: "/api/schedules/:schedule_id/runs",
  summary: "List a schedule's runs",
  description: "Newest first, for 90 days.",
  tag: "Schedules",
  access: { user: "any" },
  params: ScheduleParams,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(MOST).default(50),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  response: { status: 200, schema: z.array(Run) },
  handler: async ({ services, caller, params, query }) =>
    (await list(services, caller, params.schedule_id, query)).map(describeRun),
});

function describeRun({ run, chatId, deliveries }: ShownRun): z.input<typeof Run> {
  return {
    id: run.id,
    schedule_id: run.scheduleId,
    trigger: run.scheduledFor === null ? "manual" : "schedule",
    scheduled_for: run.scheduledFor?.toISOString() ?? null,
    status: run.status,
    late: run.isLate,
    missed: run.missed,
    task_id: run.startedAt === null ? null : run.taskId,
    chat_id: chatId,
    error: run.error,
    silent: run.isSilent,
    deliveries: deliveries.map(({ target, status, error, channelId, jid }) => ({
      target,
      status,
      error,
      channel_config_id: channelId,
      jid,
    })),
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}
