import { advanceSessions } from "#src/domain/messaging/conversations/index.ts";
import { SessionBatch } from "#src/domain/messaging/inbox/index.ts";
import { defineFunction } from "./serve.ts";

/** Handles what a platform sent for some sessions of a channel: pairing, commands, clicks, and messages to the agent. */
export const receiveMessage = defineFunction({
  name: "receive-message",
  payload: SessionBatch,
  run: (services, batch) => advanceSessions(services, batch),
});
