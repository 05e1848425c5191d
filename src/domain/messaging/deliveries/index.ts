export { choiceOf, markOf, sendApprovalCards, takesDone } from "./approval-card.ts";
export { deliverMessage, type OutboxDeps } from "./deliver-message.ts";
export { questionsDue, replyDue } from "./functions.ts";
export { findFiles, linkedFiles, MAX_FILES, type FileOwner } from "./files.ts";
export { placeOf, type OutboxMessage } from "./outbox-message.ts";
export type { Reply } from "./queries/replies.ts";
export { replyToTask } from "./reply-to-task.ts";
export { retryMessage } from "./retry-message.ts";
export { resumeAwaited, sendAwaited, sendStored } from "./send-stored.ts";
