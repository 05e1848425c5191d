import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageOf } from "./job.ts";
import { dueJobs } from "./queries.ts";

/** The message of a job that was stored a moment ago is on its way; one that takes a share of the queue may wait in it. */
const SINCE = { seconds: 5, sharingSeconds: 60 };
/** Most jobs of a kind in one sweep; the next takes the rest. */
const LIMIT = 100;
const MINUTE_MS = 60_000;

/**
 * Publishes jobs of these kinds again whose message was lost or whose executor died: they are due, and no executor holds them.
 * Each minute's message is another one for the queue.
 */
export async function sweepJobs(
  { db, queue }: { db: Db; queue: Pick<Queue, "publishBatch"> },
  kinds: readonly string[],
): Promise<void> {
  const occasion = `swept-${Math.floor(Date.now() / MINUTE_MS)}`;
  const due = await dueJobs(db, kinds, { ...SINCE, limit: LIMIT });
  await queue.publishBatch(due.map((job) => messageOf(job, { occasion, share: job.share })));
}
