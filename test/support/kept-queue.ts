import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";

/** A queue that hands over what is published, and delivers nothing. */
export const queueTo = (accept: (messages: readonly QueueMessage[]) => Promise<void>): Queue => ({
  publish: (message) => accept([message]),
  publishBatch: accept,
  ensureSchedule: async () => {},
  answers: async () => true,
});

/** A queue that keeps what is published. */
export function keptQueue(published: QueueMessage[] = []) {
  return { published, queue: queueTo(async (messages) => void published.push(...messages)) };
}
