export { listBackgroundTasks, requireBackgroundTask } from "./find-background-tasks.ts";
export {
  advanceTasks,
  endTask,
  endTasks,
  insertBackgroundTask,
  openTaskOfContainer,
  type BackgroundTask,
  type TaskEnding,
} from "./queries.ts";
