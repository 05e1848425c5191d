import type { AdministratorsDeed } from "#src/domain/operations/administrators/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { handling } from "./receive-event.ts";
import { reopenEvent, reopenFailed } from "./queries.ts";

interface Deps {
  db: Db;
  queue: Queue;
}

/** Days for which the sweep tries a failed event again. */
const SWEPT_DAYS = 3;
/** Most events of one sweep; the next takes the rest. */
const BATCH = 100;

/** Handles an event once more, also one that was handled or ignored. Throws `not_found`. */
export async function retryEvent({ db, queue }: Deps, by: AdministratorsDeed, id: string): Promise<void> {
  const event = await reopenEvent(db, id, by);
  if (!event) throw new AppError("not_found", "Event not found");
  await queue.publish(again(event));
}

/** Gives failed events to the queue again, and those whose message was lost. */
export async function sweepEvents({ db, queue }: Deps): Promise<void> {
  const events = await reopenFailed(db, { days: SWEPT_DAYS, limit: BATCH });
  if (events.length > 0) await queue.publishBatch(events.map(again));
}

/** The queue would take an attempt of the same number for the one before. */
function again({ id, attempts }: { id: string; attempts: number }) {
  const message = handling(id, attempts);
  return { ...message, deduplicationId: `${message.deduplicationId}-${Math.floor(Date.now() / 1000)}` };
}
