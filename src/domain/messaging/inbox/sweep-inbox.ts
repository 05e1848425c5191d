import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { MOST_SESSIONS, strandedSessions, type StrandedSession } from "./queries.ts";
import { receiveMessage, type SessionBatch } from "./receive-message.ts";

/** Longer than a session takes to be advanced when nothing fails. */
const QUIET_SECONDS = 30;
/** Most sessions in one sweep; the next sweep takes the rest. */
const BATCH = 200;

/** Has sessions handled whose queue message was lost, or given up by the queue. */
export async function sweepInbox(deps: { db: Db; queue: Queue }): Promise<void> {
  const stranded = await strandedSessions(deps.db, { quietSeconds: QUIET_SECONDS, limit: BATCH });
  const minute = Math.floor(Date.now() / 60_000);
  const batches = batchesOf(stranded);
  await deps.queue.publishBatch(batches.map((batch) => receiveMessage(batch, `swept-${minute}`)));
}

/** The sessions of each channel together, as many as one message names. */
export function batchesOf(stranded: readonly StrandedSession[]): SessionBatch[] {
  const batches: SessionBatch[] = [];
  for (const { channelId, ownerId, sessionKey, senderId } of stranded) {
    let batch = batches.findLast((each) => each.channelId === channelId);
    if (!batch || batch.sessions.length === MOST_SESSIONS) {
      batch = { channelId, ownerId, sessions: [] };
      batches.push(batch);
    }
    batch.sessions.push({ sessionKey, senderId });
  }
  return batches;
}
