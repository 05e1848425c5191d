import { z } from "zod";
import { sha256Hex } from "#src/lib/hash.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { netDueAt } from "#src/work/beside.ts";
import { declareFunction, messageTo } from "#src/work/message.ts";

/** Sessions of one channel whose open events are to be handled. */
export const SessionBatch = z.object({
  channelId: z.uuid(),
  /** The channel's owner, whose share of the queue the work takes. */
  ownerId: z.uuid(),
  sessions: z.array(z.object({ sessionKey: z.string(), senderId: z.string() })),
});
export type SessionBatch = z.output<typeof SessionBatch>;

/** What a platform sent is to be handled. */
export const eventsReceived = declareFunction({ name: "receive-message", message: SessionBatch });

/** What a platform sent to a channel, and what nobody has handled, is to be handled. */
export const eventsLeft = declareFunction({
  name: "receive-left",
  message: SessionBatch.pick({ channelId: true, ownerId: true }),
});

/** The net under what is handled at once: one for all that came to a channel in the same few seconds. */
export function netOfChannel({ channelId, ownerId }: Omit<SessionBatch, "sessions">): QueueMessage {
  const dueAt = netDueAt();
  return messageTo(
    eventsLeft,
    { channelId, ownerId },
    {
      deduplicationId: `receive-left-${channelId}-${dueAt}`,
      notBefore: new Date(dueAt),
      shareOf: ownerId,
    },
  );
}

/**
 * The queue's message that has the open events of sessions handled. `occasion` tells it from earlier ones for the same
 * sessions.
 */
export function receiveMessage(batch: SessionBatch, occasion: string): QueueMessage {
  const id = sha256Hex(JSON.stringify([batch, occasion])).slice(0, 32);
  return messageTo(eventsReceived, batch, { deduplicationId: `receive-${id}`, shareOf: batch.ownerId });
}
