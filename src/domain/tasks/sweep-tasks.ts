import { endTasksOfKeys } from "#src/domain/access/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { again, launchTask, type LaunchDeps } from "./launch-task.ts";
import { deleteExpiredIdempotencyKeys } from "./queries/start.ts";
import { dropFinishedTasks } from "./queries/turn.ts";
import { revokedKeysWithTasks, staleQueuedTasks } from "./queries/unfinished.ts";

/** Tasks launched, and keys seen to, by one sweep; the next one takes the rest. */
const BATCH = 100;

/**
 * Launch tasks whose request died between the database and the queue, end those whose key was revoked by one that died
 * there, and drop idempotency keys that have expired.
 */
export async function sweepTasks(deps: LaunchDeps & { db: Db; log: Log }): Promise<void> {
  await dropFinishedTasks(deps.db);
  for (const { id } of await staleQueuedTasks(deps.db, BATCH)) {
    // One that cannot be launched now does not hold up the others.
    await launchTask(deps, id, again()).catch((error: unknown) =>
      deps.log.warn("a queued task could not be launched", { task_id: id, cause: error }),
    );
  }
  const revoked = await revokedKeysWithTasks(deps.db, BATCH);
  await endTasksOfKeys(
    deps.queue,
    revoked.map(({ keyId }) => keyId),
  );
  await deleteExpiredIdempotencyKeys(deps.db);
}
