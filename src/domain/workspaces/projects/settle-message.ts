import { z } from "zod";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { declareFunction, messageTo, type Delivery } from "#src/work/message.ts";

/** A project is wanted in another state. */
export const changeWanted = declareFunction({
  name: "settle-project",
  message: z.object({ projectId: z.uuid() }),
});

/** The queue message that brings a project to its wanted state. */
export function settleMessage(projectId: string, delivery: Delivery = {}): QueueMessage {
  return messageTo(changeWanted, { projectId }, delivery);
}
