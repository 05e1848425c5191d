export { deleteOldEvents, linkOfSession, originOfTask, sessionOfTask } from "./queries.ts";
export { receiveEvents, type InboxDeps } from "./receive-events.ts";
export { eventsReceived, receiveMessage, type SessionBatch } from "./receive-message.ts";
export { receiveWebhook } from "./receive-webhook.ts";
export { jidOf, placeOfSession, sessionKeyOf, type SessionKey } from "./session-key.ts";
export { sweepInbox } from "./sweep-inbox.ts";
