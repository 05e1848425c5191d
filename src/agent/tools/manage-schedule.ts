import { z } from "zod";
import { MAX_PROMPT_CHARS } from "#src/domain/schedules/definitions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { AgentSchedules, ScheduleFields } from "../services/schedules.ts";
import { defineTool, failure, type ToolResult } from "./tool.ts";

const ACTIONS = ["create", "list", "update", "pause", "resume", "trigger", "delete"] as const;

export const manageSchedule = defineTool({
  name: "manage_schedule",
  description:
    "Run a prompt on a clock and deliver its result, or look at and change such schedules of this project. A run is a chat " +
    "of its own that knows nothing of this one: say in the prompt all that it needs. Ask the user for the time zone when " +
    "a time of day is meant and you do not know it.",
  parameters: z.object({
    action: z.enum(ACTIONS).describe("What to do"),
    job_id: z.string().max(100).optional().describe("Id of the schedule; for all but create and list"),
    name: z.string().trim().min(1).max(200).optional().describe("Short name; required to create"),
    schedule: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe(
        "When, required to create: `every 30m`, `every 2h`, `daily at 9am`, `weekdays at 9:30`, `every friday at 17:00`, " +
          "`monthly on the 1 at 8:00`, once `in 30m`, `tomorrow at 9am` or an ISO moment, or a cron expression of five fields",
      ),
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(MAX_PROMPT_CHARS)
      .optional()
      .describe("What each run is told, required to create. {date}, {time} and {weekday} are filled in"),
    deliver: z
      .string()
      .trim()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "Where results go: origin (here; the default), none, a platform for the user's own chat there, or platform:chat-id, " +
          "several between commas",
      ),
    timezone: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("IANA time zone such as Europe/London; UTC by default"),
    repeat: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("Runs after which it ends; no end by default"),
  }),
  effect: "other",
  scope: "project.edit",
  dangerous: true,
  isOffered: ({ schedules }) => schedules !== undefined,
  argumentAliases: { id: "job_id", prompt_template: "prompt", cron_expression: "schedule" },
  async run({ action, job_id: id, ...fields }, { schedules }) {
    // Not offered, and called all the same.
    if (!schedules)
      return failure("A scheduled run cannot manage schedules.", "Say in your answer what to change.");
    try {
      return await act(schedules, action, id, fields);
    } catch (error) {
      const advice = error instanceof AppError ? ADVICE[error.code] : undefined;
      if (advice === undefined || !(error instanceof AppError)) throw error;
      return failure(error.message, advice);
    }
  },
});

const ADVICE: Partial<Record<AppError["code"], string>> = {
  invalid_input: "Correct the call.",
  not_found: "List the schedules to find their ids.",
  forbidden: "Leave `deliver` out to have results delivered here.",
  rate_limited: "Tell the user, who can delete or pause schedules.",
  insufficient_credits: "Tell the user.",
};

async function act(
  schedules: AgentSchedules,
  action: (typeof ACTIONS)[number],
  id: string | undefined,
  fields: ScheduleFields,
): Promise<ToolResult> {
  if (action === "list") {
    const found = await schedules.list();
    const message = found.length === 0 ? "This project has no schedules." : `${found.length} schedules.`;
    return { success: true, message, schedules: found };
  }
  if (action === "create") {
    const { name, schedule, prompt } = fields;
    if (name === undefined || schedule === undefined || prompt === undefined) {
      return failure("A new schedule needs name, schedule and prompt.", "Call again with all three.");
    }
    const made = await schedules.create({ ...fields, name, schedule, prompt });
    return { success: true, message: `Created: ${made.description}.`, schedule: made };
  }
  if (id === undefined) return failure(`To ${action} a schedule, give its job_id.`, ADVICE.not_found);
  if (action === "update") return changed("Updated", await schedules.update(id, fields));
  if (action === "pause") return changed("Paused", await schedules.pause(id));
  if (action === "resume") return changed("Resumed", await schedules.resume(id));
  if (action === "trigger") {
    return { success: true, message: "Started now.", task_id: await schedules.trigger(id) };
  }
  await schedules.remove(id);
  return { success: true, message: "Deleted.", job_id: id };
}

function changed(done: string, schedule: Awaited<ReturnType<AgentSchedules["pause"]>>): ToolResult {
  return { success: true, message: `${done}: ${schedule.name}, ${schedule.description}.`, schedule };
}
