export { awake, awakeRuntime, type WakeDeps } from "./awake.ts";
export { beginAnew } from "./begin-anew.ts";
export { cancelBackgroundTask } from "./cancel-background-task.ts";
export {
  hibernateBeforeEnd,
  requestHibernation,
  requestStart,
  requestStop,
  requestStopAll,
  startUnlessRunning,
} from "./request-state.ts";
export { placesOfTeam } from "./queries/always-on.ts";
export { requireFiles } from "./require-files.ts";
export { saveDue, saveProject } from "./save-project.ts";
export { settleProject } from "./settle-project.ts";
export {
  restartContainer,
  restartAllContainers,
  startAllContainers,
  startContainer,
  stopAllContainers,
  stopContainer,
  type StartedContainer,
} from "./start-container.ts";
export { sweepProjects } from "./sweep-projects.ts";
export { withRuntime, withWritableRuntime } from "./with-runtime.ts";
