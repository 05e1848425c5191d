import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { stuckCallbacks } from "./queries.ts";

/** Longer than the longest pause between two attempts (30 minutes). */
const QUIET_MINUTES = 35;

/** Most callbacks in one sweep; the next sweep takes the rest. */
const BATCH = 100;

/**
 * Publishes the next attempt of callbacks whose message the queue has given up, as after a long outage of the database.
 */
export async function sweepCallbacks(deps: { db: Db; queue: Queue }): Promise<void> {
  const stuck = await stuckCallbacks(deps.db, QUIET_MINUTES, BATCH);
  await deps.queue.publishBatch(
    stuck.map(({ taskId, attempt }) => ({
      function: "deliver-callback",
      payload: { taskId, attempt },
      deduplicationId: `callback-${taskId}-${attempt}-swept`,
    })),
  );
}
