import type { AdministratorsDeed } from "#src/domain/access/administrators/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageOf } from "#src/work/job.ts";
import { deleteGivenUp, reopenJobs, type JobName, type JobsOfKind } from "./queries.ts";

/** Most jobs of one request. */
const MOST = 1000;

/**
 * Has jobs of a kind tried again that were given up: the one with this key, or all, a thousand at a time. Returns how many.
 * Throws `not_found` when there are none.
 */
export async function retryJobs(
  { db, queue, log }: { db: Db; queue: Pick<Queue, "publishBatch">; log: Log },
  by: AdministratorsDeed,
  job: JobsOfKind,
): Promise<number> {
  const reopened = await reopenJobs(db, by, { ...job, limit: MOST });
  if (reopened.length === 0) throw none(job);
  const messages = reopened.map(({ key, share, generation }) =>
    messageOf({ name: job.kind, key }, { occasion: `again-${generation}`, share }),
  );
  try {
    await queue.publishBatch(messages);
  } catch (cause) {
    // They are due, so the sweep publishes the rest.
    log.warn("jobs that are tried again were not all published", { kind: job.kind, cause });
  }
  return reopened.length;
}

/** Drops a job that was given up: what it was to do is not done. Throws `not_found`. */
export async function dropJob({ db }: { db: Db }, by: AdministratorsDeed, job: JobName): Promise<void> {
  if (!(await deleteGivenUp(db, by, job))) throw none(job);
}

function none({ key }: Pick<JobsOfKind, "key">): AppError {
  return new AppError("not_found", key === undefined ? "No job of this kind was given up" : "Job not found");
}
