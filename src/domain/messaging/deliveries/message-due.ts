import { z } from "zod";
import { declareFunction } from "#src/work/message.ts";

/** A message of the outbox is to be sent. */
export const messageDue = declareFunction({
  name: "deliver-message",
  message: z.object({ messageId: z.uuid() }),
});
