import { z } from "zod";
import { isPlatform } from "#src/channels/channel.ts";
import * as schedules from "#src/domain/schedules/definitions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentId, text } from "#src/http/schemas.ts";
import { describeSchedule, Repeat, Schedule, ScheduleFields } from "./schedule.ts";

const { deliver, timezone, edit_mode, catch_up, overlap, ...fields } = ScheduleFields;

const Body = z
  .object({
    project_id: z.uuid().describe("A project that the caller may edit"),
    agent_id: AgentId.nullish(),
    ...fields,
    deliver: deliver.nullish().describe("`origin` by default"),
    timezone: timezone.nullish().describe("IANA name; `UTC` by default"),
    edit_mode: edit_mode.nullish().describe("`allow` by default: no person waits to be asked"),
    catch_up: catch_up.nullish().describe("`once` by default"),
    overlap: overlap.nullish().describe("`skip` by default"),
    repeat: Repeat.min(1).nullish().describe("Runs after which it ends; null for none"),
    origin_platform: text({ min: 1, max: 20, trim: true }).nullish(),
    origin_chat_id: text({ min: 1, max: 200, trim: true }).nullish(),
    origin_config_id: z.uuid().nullish().describe("A channel that the caller owns or writes through"),
  })
  .transform((body, context) => {
    const schedule = body.schedule ?? body.cron_expression;
    const promptTemplate = body.prompt_template ?? body.prompt;
    const platform = body.origin_platform?.toLowerCase() ?? null;
    if (!schedule) context.addIssue({ code: "custom", path: ["schedule"], message: "is required" });
    if (!promptTemplate)
      context.addIssue({ code: "custom", path: ["prompt_template"], message: "is required" });
    if (platform !== null && !isPlatform(platform))
      context.addIssue({ code: "custom", path: ["origin_platform"], message: "is no platform" });
    if (!schedule || !promptTemplate || (platform !== null && !isPlatform(platform))) return z.NEVER;
    return {
      wish: {
        projectId: body.project_id,
        agentId: body.agent_id ?? null,
        name: body.name,
        schedule,
        promptTemplate,
        deliver: body.deliver ?? "origin",
        timezone: body.timezone ?? "UTC",
        editMode: body.edit_mode ?? ("allow" as const),
        catchUp: body.catch_up ?? ("once" as const),
        overlap: body.overlap ?? ("skip" as const),
        repeat: body.repeat ?? null,
      },
      origin: { platform, chatId: body.origin_chat_id ?? null, channelId: body.origin_config_id ?? null },
    };
  });

export const createSchedule = endpoint({
  operationId: "createSchedule",
  method: "post",
  path: "/api/schedules",
  summary: "Create a schedule",
  description:
    "Runs a prompt on a clock and delivers the result. A text that is not understood is refused with a sentence; `POST /api/schedules/preview` tells what a text comes to.",
  tag: "Schedules",
  access: { user: "any" },
  example: {
    project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10",
    name: "Morning report",
    schedule: "every weekday at 9:00",
    prompt_template: "Report what changed yesterday.",
  },
  body: Body,
  refusals: [400, 404, 429],
  response: { status: 200, schema: Schedule },
  async handler({ services, caller, body: { wish, origin } }) {
    const made = await schedules.createSchedule(services, caller, {
      ...wish,
      origin: await schedules.requireOrigin(services, caller, { ...origin, projectId: wish.projectId }),
    });
    return describeSchedule({ schedule: made, undelivered: null });
  },
});
