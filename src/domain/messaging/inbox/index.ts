export { deleteOldEvents, linkOfSession, openSessions, originOfTask, sessionOfTask } from "./queries.ts";
export { receiveEvents, type InboxDeps } from "./receive-events.ts";
export { eventsLeft, eventsReceived, receiveMessage, type SessionBatch } from "./receive-message.ts";
export { receiveWebhook } from "./receive-webhook.ts";
export { jidOf, placeOfSession, sessionKeyOf, type SessionKey } from "./session-key.ts";
export { batchesOf, sweepInbox } from "./sweep-inbox.ts";
