import { z } from "zod";
import * as schedules from "#src/domain/schedules/definitions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeSchedule, Schedule } from "./schedule.ts";

const MOST = 200;

const Switch = z.enum(["true", "false"]).transform((value) => value === "true");

export const listSchedules = endpoint({
  operationId: "listSchedules",
  method: "get",
  path: "/api/schedules",
  summary: "List schedules",
  description: "The caller's schedules, newest first.",
  tag: "Schedules",
  access: { user: "any" },
  query: z.object({
    project_id: z.uuid().optional(),
    is_active: Switch.optional(),
    limit: z.coerce.number().int().min(1).max(MOST).default(MOST),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  response: { status: 200, schema: z.array(Schedule) },
  async handler({ services, caller, query }) {
    const { project_id: projectId, is_active: isActive, limit, offset } = query;
    const found = await schedules.listSchedules(services, caller, { projectId, isActive, limit, offset });
    return found.map(describeSchedule);
  },
});
