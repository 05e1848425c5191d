import { z } from "zod";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { declareJob, messageOf } from "#src/work/job.ts";

/** A project is wanted in another state. Its key is the project's id. */
export const stateWanted = declareJob({
  name: "settle-project",
  payload: z.object({ projectId: z.uuid() }),
});

/** The message that brings a project to its wanted state. `occasion` tells it from others: the generation of the stored job. */
export function settleMessage(projectId: string, occasion: string): QueueMessage {
  return messageOf({ name: stateWanted.name, key: projectId }, { occasion });
}
