import type { Db } from "#src/platform/db/client.ts";
import { launchTask, type LaunchDeps } from "./launch-task.ts";
import { deleteExpiredIdempotencyKeys, staleQueuedTasks } from "./queries.ts";

/** Tasks launched by one sweep; the next one takes the rest. */
const BATCH = 100;

/** Launch tasks whose request died between the database and the queue, and drop idempotency keys that have expired. */
export async function sweepTasks(deps: LaunchDeps & { db: Db }): Promise<void> {
  for (const task of await staleQueuedTasks(deps.db, BATCH)) await launchTask(deps, task);
  await deleteExpiredIdempotencyKeys(deps.db);
}
