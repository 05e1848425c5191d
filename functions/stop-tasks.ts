import { LostAccess } from "#src/domain/organisations/access/index.ts";
import { stopTasksOf } from "#src/domain/agent-work/tasks/index.ts";
import { defineFunction } from "./serve.ts";

/** What a revoked key started ends, and what the agents of people do who may no longer write in the project. */
export const stopTasks = defineFunction({
  name: "stop-tasks",
  payload: LostAccess,
  run: (services, lost) => stopTasksOf(services, lost),
});
