import { endTasksOfKeys } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { again, launchTask, type LaunchDeps } from "./launch-task.ts";
import { deleteExpiredIdempotencyKeys } from "./queries/start.ts";
import { revokedKeysWithTasks, staleQueuedTasks } from "./queries/unfinished.ts";

/** Most tasks launched, and keys handled, in one sweep; the next sweep takes the rest. */
const BATCH = 100;

/**
 * Launches tasks whose request died between the database and the queue. Ends tasks of revoked keys when the revoking
 * request died there. Deletes expired idempotency keys.
 */
export async function sweepTasks(deps: LaunchDeps & { db: Db; log: Log }): Promise<void> {
  for (const task of await staleQueuedTasks(deps.db, BATCH)) {
    // A launch that fails does not stop the others.
    await launchTask(deps, task, again()).catch((error: unknown) =>
      deps.log.warn("a queued task could not be launched", { task_id: task.id, cause: error }),
    );
  }
  const revoked = await revokedKeysWithTasks(deps.db, BATCH);
  await endTasksOfKeys(
    deps.queue,
    revoked.map(({ keyId }) => keyId),
  );
  await deleteExpiredIdempotencyKeys(deps.db);
}
