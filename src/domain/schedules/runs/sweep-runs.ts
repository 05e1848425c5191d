import { runEnded } from "#src/domain/agent-work/tasks/index.ts";
import { messageTo } from "#src/work/message.ts";
import { claimStranded, deleteOldRuns } from "./queries/due.ts";
import { startMessage, type TickDeps } from "./tick.ts";

/** Time that a run has to be started by the queue, or to be followed up, before it counts as stranded. */
const QUIET_SECONDS = 60;
/** Most runs of one sweep; the next takes the rest. */
const BATCH = 200;
const KEPT_DAYS = 90;

/** Gives runs to the queue again whose message was lost. */
export async function sweepRuns({ db, queue }: TickDeps): Promise<void> {
  const stranded = await claimStranded(db, { quietSeconds: QUIET_SECONDS, limit: BATCH });
  await queue.publishBatch(
    stranded.map(({ id, taskId, isOver }) => (isOver ? messageTo(runEnded, { taskId }) : startMessage(id))),
  );
}

/** Deletes the history of runs that ended long ago. */
export async function forgetOldRuns({ db }: Pick<TickDeps, "db">): Promise<void> {
  await deleteOldRuns(db, KEPT_DAYS);
}
