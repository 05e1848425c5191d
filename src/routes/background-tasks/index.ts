import type { Endpoint } from "#src/http/endpoint.ts";
import { cancelTask } from "./cancel.ts";
import { getBackgroundTask } from "./get.ts";
import { listActiveTasks, listTasks } from "./list.ts";

/** The literal paths come first. */
export const backgroundTaskEndpoints: readonly Endpoint[] = [
  listActiveTasks,
  listTasks,
  getBackgroundTask,
  cancelTask,
];
