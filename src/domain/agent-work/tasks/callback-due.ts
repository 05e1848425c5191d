import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

/** A finished task's callback is to be delivered. Its key is the task's id. */
export const callbackDue = declareJob({
  name: "deliver-callback",
  payload: z.object({ taskId: z.uuid() }),
});
