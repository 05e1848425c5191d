export * as taskEvents from "./events.ts";
export { closeTask, finishTask, type Ending, type FinishDeps, type TaskEnd } from "./finish-task.ts";
export { followUpTask } from "./follow-up.ts";
export { goOn } from "./go-on.ts";
export { listSteps, listTasks } from "./list-tasks.ts";
export { openTask, type OpenedTask } from "./open-task.ts";
export { claimTask, storeCompaction, storeTurn, titleChat, type ClaimedTask } from "./queries/run.ts";
export { resumeTask } from "./resume-task.ts";
export {
  startTask,
  type ChosenChat,
  type Origin,
  type StartDeps,
  type StartedTask,
  type StartTask,
} from "./start-task.ts";
export type { EditMode } from "./edit-mode.ts";
export { StepData, type ChatAccount, type StepToolCall } from "./steps.ts";
export { cancelTask, endOfStopped, stopTasksOf } from "./stop-task.ts";
export { streamTask } from "./stream-task.ts";
export { sweepTasks } from "./sweep-tasks.ts";
export { describeTask, isTerminal, type Task, type TaskStatus } from "./task.ts";
export { titleOfMessage } from "./title-of-message.ts";
