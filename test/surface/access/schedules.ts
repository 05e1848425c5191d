import { OF_EDITORS, OWN, PERSON, type Rows } from "./row.ts";

/** Prompts that run on a clock: a person's own. */
export const SCHEDULES: Rows = {
  "POST /api/schedules/preview": PERSON,
  "GET /api/schedules": PERSON,
  "POST /api/schedules": OF_EDITORS,
  "GET /api/schedules/{schedule_id}": OWN,
  "PATCH /api/schedules/{schedule_id}": OWN,
  "DELETE /api/schedules/{schedule_id}": OWN,
  "POST /api/schedules/{schedule_id}/pause": OWN,
  "POST /api/schedules/{schedule_id}/resume": OWN,
  "POST /api/schedules/{schedule_id}/trigger": OWN,
  "GET /api/schedules/{schedule_id}/runs": OWN,
};
