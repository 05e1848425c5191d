import { z } from "zod";
import { advanceSession } from "#src/domain/messaging/conversations/index.ts";
import { defineFunction } from "./serve.ts";

/** Handles what a platform sent for one session: pairing, commands, clicks, and messages to the agent. */
export const receiveMessage = defineFunction({
  name: "receive-message",
  payload: z.object({ channelId: z.uuid(), sessionKey: z.string(), senderId: z.string() }),
  run: (services, key) => advanceSession(services, key),
});
