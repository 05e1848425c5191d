import { z } from "zod";
import { previewSchedule as preview } from "#src/domain/schedules/expressions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { MAX_SCHEDULE_CHARS } from "./schedule.ts";

export const previewSchedule = endpoint({
  operationId: "previewSchedule",
  method: "post",
  path: "/api/schedules/preview",
  summary: "Preview a schedule",
  description: "What a text comes to, or the sentence with which it would be refused. Stores nothing.",
  tag: "Schedules",
  access: { user: "any" },
  example: { schedule: "every weekday at 9:00" },
  body: z.object({
    schedule: text({ min: 1, max: MAX_SCHEDULE_CHARS, trim: true }),
    timezone: text({ min: 1, max: 100, trim: true }).nullish().describe("IANA name; `UTC` by default"),
  }),
  refusals: [400],
  response: {
    status: 200,
    schema: z.object({
      description: z.string().describe("When it runs, in words"),
      normalized_cron: z.string(),
      timezone: z.string(),
      next_runs: z.array(Moment).describe("The next five moments"),
      note: z
        .string()
        .nullable()
        .describe("A sentence about a change of the clock between two of them, or about an interval"),
    }),
  },
  async handler({ body }) {
    const seen = preview(body.schedule, { timezone: body.timezone ?? "UTC", now: new Date(), count: 5 });
    return {
      description: seen.description,
      normalized_cron: seen.normalized,
      timezone: seen.timezone,
      next_runs: seen.moments.map((moment) => moment.toISOString()),
      note: seen.note,
    };
  },
});
