import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";

/** What a program leaves undone when it dies, the queue has done so many seconds later. */
const NET_SECONDS = 10;

/** So long this isolate knows that the queue has a net: longer than messages share one. */
const KEPT_MS = 60_000;
/** Most nets that an isolate knows. */
const MOST_KEPT = 1_000;

/** The nets that the queue has accepted, by their deduplication id, and until when that is remembered. Oldest first. */
const accepted = new Map<string, number>();

/**
 * Begins what an urgent message says, and publishes its net: what is done by then is found done. Returns when the queue has the
 * net. `begin` says whether it did it; what it leaves, the queue has done now. It may be done twice.
 */
export async function beside(
  { queue, waitUntil }: { queue: Queue; waitUntil: (work: Promise<unknown>) => void },
  { net, ...message }: QueueMessage,
  begin: () => Promise<boolean>,
): Promise<void> {
  const doneOrLeft = async () => {
    if (await begin()) return;
    const { deduplicationId: id } = message;
    await queue.publish({ ...message, ...(id !== undefined && { deduplicationId: `${id}-left` }) });
  };
  // The queue has it anyway: a second publication that fails costs time and nothing else.
  waitUntil(doneOrLeft().catch(() => undefined));
  if (net) await publishOnce(queue, net);
  else await queue.publish({ ...message, delaySeconds: NET_SECONDS });
}

/** When the net is due of what is begun now, in milliseconds since 1970: the same for all that is begun in a few seconds. */
export function netDueAt(now = Date.now()): number {
  return (Math.floor(now / SHARED_MS) + 1) * SHARED_MS + NET_SECONDS * 1_000;
}

/** Messages of so long share a net. */
const SHARED_MS = 3_000;

/** Publishes a net that the queue would take for a repetition only if this isolate does not know it to be there. */
async function publishOnce(queue: Queue, net: QueueMessage): Promise<void> {
  const { deduplicationId: id } = net;
  if (id !== undefined && (accepted.get(id) ?? 0) > Date.now()) return;
  await queue.publish(net);
  if (id === undefined) return;
  accepted.delete(id);
  accepted.set(id, Date.now() + KEPT_MS);
  for (const [oldest] of accepted) {
    if (accepted.size <= MOST_KEPT) break;
    accepted.delete(oldest);
  }
}
