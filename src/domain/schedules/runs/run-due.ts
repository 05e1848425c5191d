import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

/** The run of a schedule is to go on: its task is to be started, or has ended. Its key is the id of that task. */
export const runDue = declareJob({
  name: "advance-run",
  payload: z.object({ taskId: z.uuid() }),
});
