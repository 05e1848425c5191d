import type { Rows } from "./row.ts";

/** Prompts that run on a clock: a person's own. */
export const SCHEDULES: Rows = {
  "POST /api/schedules/preview": { admits: "person" },
  "GET /api/schedules": { admits: "person" },
  "POST /api/schedules": { admits: "person", stranger: 404, viewer: 403 },
  "GET /api/schedules/{schedule_id}": { admits: "person", stranger: 404, viewer: 404 },
  "PATCH /api/schedules/{schedule_id}": { admits: "person", stranger: 404, viewer: 404 },
  "DELETE /api/schedules/{schedule_id}": { admits: "person", stranger: 404, viewer: 404 },
  "POST /api/schedules/{schedule_id}/pause": { admits: "person", stranger: 404, viewer: 404 },
  "POST /api/schedules/{schedule_id}/resume": { admits: "person", stranger: 404, viewer: 404 },
  "POST /api/schedules/{schedule_id}/trigger": { admits: "person", stranger: 404, viewer: 404 },
  "GET /api/schedules/{schedule_id}/runs": { admits: "person", stranger: 404, viewer: 404 },
};
