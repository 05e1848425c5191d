import { z } from "zod";
import { runDue } from "./run-due.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { messageOf } from "#src/work/job.ts";
import { declareFunction } from "#src/work/message.ts";

/* What the queue is told about runs of schedules. */

/** Schedules that are due are to be run. Of an interval below a minute, the clock's tick publishes the `extra` ones. */
export const tickDue = declareFunction({
  name: "tick-schedules",
  message: z.object({ extra: z.boolean().default(false) }),
});

/** The message of a run's job, which has the id of the run's task. */
export function messageOfRun(taskId: string, occasion: string): QueueMessage {
  return messageOf({ name: runDue.name, key: taskId }, { occasion });
}
