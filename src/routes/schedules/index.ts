import type { Endpoint } from "#src/http/endpoint.ts";
import { createSchedule } from "./create.ts";
import { deleteSchedule } from "./delete.ts";
import { getSchedule } from "./get.ts";
import { listSchedules } from "./list.ts";
import { pauseSchedule, resumeSchedule } from "./pause.ts";
import { previewSchedule } from "./preview.ts";
import { listRuns } from "./runs.ts";
import { triggerSchedule } from "./trigger.ts";
import { updateSchedule } from "./update.ts";

export const scheduleEndpoints: readonly Endpoint[] = [
  previewSchedule,
  listSchedules,
  createSchedule,
  getSchedule,
  updateSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
  listRuns,
];
