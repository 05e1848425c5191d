export { continueInChat } from "./continue-in-chat.ts";
export { findPlace, type FindDeps, type FoundPlace } from "./find-place.ts";
export type { SendingTask } from "./queries.ts";
export {
  countMessage,
  replyForTask,
  resumeForTask,
  sendForTask,
  type Outcome,
  type SendDeps,
} from "./send-for-task.ts";
