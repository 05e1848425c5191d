import type { Endpoint } from "#src/http/endpoint.ts";
import { cancelTask } from "./cancel.ts";
import { getBackgroundTask } from "./get.ts";
import { listActiveTasks, listTasks } from "./list.ts";

/** Literal paths come before paths with a parameter. */
export const backgroundTaskEndpoints: readonly Endpoint[] = [
  listActiveTasks,
  listTasks,
  getBackgroundTask,
  cancelTask,
];
