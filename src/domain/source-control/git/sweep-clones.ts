import { waitingClones, type Repository } from "#src/domain/source-control/repositories/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";

/** Most clones in one sweep; the next sweep takes the rest. */
const BATCH = 100;

type Waiting = Pick<Repository, "projectId" | "generation">;

const messageFor = ({ projectId, generation }: Waiting, suffix = "") => ({
  function: "clone-repository",
  payload: { projectId },
  deduplicationId: `clone-${projectId}-${generation}${suffix}`,
});

export function publishClone({ queue }: { queue: Queue }, clone: Waiting): Promise<void> {
  return queue.publish(messageFor(clone));
}

/** Republishes clones without an executor: their message was lost, or their executor died. */
export async function sweepClones({ db, queue }: { db: Db; queue: Queue }): Promise<void> {
  const waiting = await waitingClones(db, BATCH);
  if (waiting.length > 0) await queue.publishBatch(waiting.map((clone) => messageFor(clone, "-swept")));
}
