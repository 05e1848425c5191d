import { z } from "zod";
import { advanceSessions } from "#src/domain/messaging/conversations/index.ts";
import { defineFunction } from "./serve.ts";

/** Handles what a platform sent for some sessions of a channel: pairing, commands, clicks, and messages to the agent. */
export const receiveMessage = defineFunction({
  name: "receive-message",
  payload: z.object({
    channelId: z.uuid(),
    ownerId: z.uuid(),
    sessions: z.array(z.object({ sessionKey: z.string(), senderId: z.string() })),
  }),
  run: (services, batch) => advanceSessions(services, batch),
});
