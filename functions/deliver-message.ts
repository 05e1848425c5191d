import { z } from "zod";
import { advanceSession } from "#src/domain/messaging/conversations/index.ts";
import { deliverMessage, replyToTask, sendApprovalCards } from "#src/domain/messaging/deliveries/index.ts";
import { defineFunction } from "./serve.ts";

/**
 * Sends to a platform: a message of the outbox, the questions of a task that waits for an approval, or the reply of a
 * finished task, after which the session goes on with what waits.
 */
export const deliverMessageFunction = defineFunction({
  name: "deliver-message",
  payload: z.union([
    z.object({ messageId: z.uuid() }),
    z.object({ askingTaskId: z.uuid() }),
    z.object({ taskId: z.uuid() }),
  ]),
  run: async (services, payload) => {
    if ("messageId" in payload) return deliverMessage(services, payload.messageId);
    if ("askingTaskId" in payload) return sendApprovalCards(services, payload.askingTaskId);
    const reply = await replyToTask(services, payload.taskId);
    return reply?.isWaiting ? advanceSession(services, reply) : undefined;
  },
});
