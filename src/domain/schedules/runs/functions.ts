import { z } from "zod";
import { declareFunction } from "#src/work/message.ts";

/* What the queue is told about runs of schedules. */

/** Schedules that are due are to be run. Of an interval below a minute, the clock's tick publishes the `extra` ones. */
export const tickDue = declareFunction({
  name: "tick-schedules",
  message: z.object({ extra: z.boolean().default(false) }),
});

/** A run is to start. */
export const runDue = declareFunction({ name: "start-run", message: z.object({ runId: z.uuid() }) });
