import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

/** A message of the outbox is to be sent. Its key is the message's id. */
export const messageDue = declareJob({
  name: "deliver-outbox-message",
  payload: z.object({ messageId: z.uuid() }),
});
