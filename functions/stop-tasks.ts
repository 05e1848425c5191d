import { LostAccess } from "#src/domain/organisations/access/index.ts";
import { stopTasksOf } from "#src/domain/agent-work/tasks/index.ts";
import { defineFunction } from "./serve.ts";

/** Ends tasks that a revoked key started, and tasks of people who may no longer write in the project. */
export const stopTasks = defineFunction({
  name: "stop-tasks",
  payload: LostAccess,
  run: (services, lost) => stopTasksOf(services, lost),
});
