import type { AdministratorsDeed } from "#src/domain/access/administrators/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageOfEvent } from "./event-received.ts";
import { reopenEvent } from "./queries.ts";

interface Deps {
  db: Db;
  queue: Queue;
}

/** Handles an event once more, also one that was handled or ignored. Throws `not_found`. */
export async function retryEvent({ db, queue }: Deps, by: AdministratorsDeed, id: string): Promise<void> {
  const reopened = await reopenEvent(db, id, by);
  if (!reopened) throw new AppError("not_found", "Event not found");
  const { generation } = reopened;
  if (generation) await queue.publish(messageOfEvent(id, generation));
}
