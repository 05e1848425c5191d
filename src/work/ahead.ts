import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";

/** So much later the queue delivers a message that was published before its job is stored. */
const AHEAD_SECONDS = 1;

/**
 * Publishes the message of a job, and then stores the job: a program that dies in between leaves no job without a message. The
 * message that it may leave finds nothing to do. If the queue does not have the message, nothing is stored.
 */
export async function publishAhead<T>(
  queue: Pick<Queue, "publish">,
  message: QueueMessage,
  store: () => Promise<T>,
): Promise<T> {
  const deliveredAt = Date.now() + AHEAD_SECONDS * 1_000;
  await queue.publish({ ...message, delaySeconds: AHEAD_SECONDS });
  const stored = await store();
  // The message may have found nothing.
  if (Date.now() >= deliveredAt) {
    const { deduplicationId: id } = message;
    await queue.publish({ ...message, ...(id !== undefined && { deduplicationId: `${id}-stored` }) });
  }
  return stored;
}
