import { z } from "zod";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { declareJob, messageOf } from "#src/work/job.ts";

/** An event of the payment provider is to be handled. Its key is the event's id. */
export const eventReceived = declareJob({
  name: "handle-stripe-event",
  payload: z.object({ eventId: z.string().min(1).max(255) }),
});

/** The message of an event's job that was just stored. */
export function messageOfEvent(id: string, generation: string): QueueMessage {
  return messageOf({ name: eventReceived.name, key: id }, { occasion: generation });
}
