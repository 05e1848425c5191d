import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { strandedSessions } from "./queries.ts";
import { receiveMessage } from "./receive-events.ts";

/** Longer than a session takes to be advanced when nothing fails. */
const QUIET_SECONDS = 30;
/** Most sessions in one sweep; the next sweep takes the rest. */
const BATCH = 200;

/** Has sessions handled whose queue message was lost, or given up by the queue. */
export async function sweepInbox(deps: { db: Db; queue: Queue }): Promise<void> {
  const stranded = await strandedSessions(deps.db, { quietSeconds: QUIET_SECONDS, limit: BATCH });
  const minute = Math.floor(Date.now() / 60_000);
  await deps.queue.publishBatch(stranded.map((key) => receiveMessage(key, `swept-${minute}`)));
}
