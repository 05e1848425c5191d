import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { publishAhead } from "#src/work/ahead.ts";
import { executeJob } from "#src/work/execute.ts";
import { defineJob } from "#src/work/job.ts";
import { advanceRun } from "./advance-run.ts";
import { endRun } from "./end-run.ts";
import { messageOfRun } from "./functions.ts";
import { insertManualRun } from "./queries/progress.ts";
import type { RunDeps } from "./run-deps.ts";
import { startTaskOf } from "./start-run.ts";

/**
 * Runs a schedule now, also a paused one; its clock stays as it is. Returns the task's id. Throws as `startTask` does, and
 * `not_found` for a schedule whose project is gone.
 */
export async function triggerRun(deps: RunDeps, scheduleId: string): Promise<string> {
  const taskId = newId();
  await storeRun(deps.db, scheduleId, taskId);
  let refusal: unknown;
  // The request is the first executor of the job: the person hears of a refusal, which ends the run.
  const triggered = defineJob(advanceRun, {
    ...advanceRun,
    run: async (services: RunDeps, attempt) => {
      const [found] = attempt.read;
      if (!found) return { kind: "done" };
      try {
        return await startTaskOf(services, found);
      } catch (cause) {
        if (isUnavailable(cause)) throw cause;
        refusal = cause;
        const error = cause instanceof AppError ? cause.message : "The run could not be started";
        return endRun(services, found, { status: "failed", error });
      }
    },
  });
  try {
    await executeJob(deps, triggered, taskId);
  } catch (cause) {
    // The job starts the run later: another one would run twice.
    if (!isUnavailable(cause)) throw cause;
  }
  if (refusal !== undefined) throw refusal;
  return taskId;
}

/** Has the queue run a schedule by hand. Returns the id that its task will have. */
export async function requestRun(
  { db, queue }: { db: Db; queue: Queue },
  scheduleId: string,
): Promise<string> {
  const taskId = newId();
  await publishAhead(queue, messageOfRun(taskId, "asked"), () => storeRun(db, scheduleId, taskId));
  return taskId;
}

async function storeRun(db: Db, scheduleId: string, taskId: string): Promise<void> {
  const isStored = await insertManualRun(db, scheduleId, taskId);
  if (!isStored) throw new AppError("not_found", "Schedule not found");
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "unavailable";
}
