import { sha256Hex } from "#src/lib/hash.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { SessionKey } from "./session-key.ts";

/** Sessions of one channel whose open events are to be handled. */
export interface SessionBatch {
  channelId: string;
  /** The channel's owner, whose share of the queue the work takes. */
  ownerId: string;
  sessions: readonly Omit<SessionKey, "channelId">[];
}

/**
 * The queue's message that has the open events of sessions handled. `occasion` tells it from earlier ones for the same
 * sessions.
 */
export function receiveMessage(batch: SessionBatch, occasion: string): QueueMessage {
  const id = sha256Hex(JSON.stringify([batch, occasion])).slice(0, 32);
  return {
    function: "receive-message",
    payload: batch,
    deduplicationId: `receive-${id}`,
    shareOf: batch.ownerId,
  };
}
