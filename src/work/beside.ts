import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";

/** What a program leaves undone when it dies, the queue has done so many seconds later. */
const NET_SECONDS = 10;

/**
 * Begins what an urgent message says, and publishes it for a little later: what is done by then is found done. Returns when the
 * queue has it. `begin` says whether it did it; what it leaves, the queue has done now. It may be done twice.
 */
export async function beside(
  { queue, waitUntil }: { queue: Queue; waitUntil: (work: Promise<unknown>) => void },
  message: QueueMessage,
  begin: () => Promise<boolean>,
): Promise<void> {
  const doneOrLeft = async () => {
    if (await begin()) return;
    const { deduplicationId: id } = message;
    await queue.publish({ ...message, ...(id !== undefined && { deduplicationId: `${id}-left` }) });
  };
  // The queue has it anyway: a second publication that fails costs time and nothing else.
  waitUntil(doneOrLeft().catch(() => undefined));
  await queue.publish({ ...message, delaySeconds: NET_SECONDS });
}
