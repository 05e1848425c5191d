export * as taskEvents from "./events.ts";
export { callbackDue } from "./callback-due.ts";
export { closeTask, finishTask, type Ending, type FinishDeps, type TaskEnd } from "./finish-task.ts";
export { followUpTask } from "./follow-up.ts";
export type { FollowUps } from "./follow-ups.ts";
export { launchLost, stepDue, taskEnded } from "./functions.ts";
export { goOn, publishNextStep, publishQuestions, publishWorking } from "./go-on.ts";
export { giveTurnsOf } from "./queries/chat-order.ts";
export { findWaiting, type Waiting } from "./queries/waiting.ts";
export { describeWaiting, type RefusedQuestion } from "./waiting.ts";
export { listTurns, listTasks, readTurn } from "./list-tasks.ts";
export { isSharedWithTask } from "./queries/shared.ts";
export { shownTurn, type Results } from "./queries/shown-turn.ts";
export { openTask, requireOpenTask, type OpenedTask } from "./open-task.ts";
export {
  claimTask,
  personOfTask,
  projectOfTask,
  storeCompaction,
  storeTurn,
  type ClaimedTask,
} from "./queries/run.ts";
export { resumeTask } from "./resume-task.ts";
export type { ChosenChat, StartTask } from "./new-task.ts";
export { sourceIn } from "./queries/source.ts";
export type { TaskOrigin, TaskSource } from "./source.ts";
export { repeatedTask, startTask, type StartDeps, type StartedTask } from "./start-task.ts";
export type { EditMode } from "./edit-mode.ts";
export { ShortTurn, Turn, type ChatSummary, type TurnCall } from "./turns.ts";
export { cancelTask, endOfStopped, stopTasksOf } from "./stop-task.ts";
export { aheadOfLog, streamTask } from "./stream-task.ts";
export { sweepTasks } from "./sweep-tasks.ts";
export { describeTask, isTerminal, type Task, type TaskStatus } from "./task.ts";
export { titleChat } from "./queries/title.ts";
export { titleOfMessage } from "./title-of-message.ts";
