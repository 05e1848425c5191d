import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";
import type { Services } from "#src/services.ts";
import type { Later } from "#src/work/execute.ts";
import { beside } from "#src/work/beside.ts";
import { FUNCTIONS } from "./index.ts";

/**
 * Most pieces of work that one isolate does at once beside what the queue delivers to it. Requests share its thread and its
 * 128 MiB. One more goes through the queue, which has a place for it elsewhere or later.
 */
const MOST = 32;

/** Of this isolate. */
let running = 0;

/** Does something unless this isolate is full. */
export async function whereThereIsRoom<T>(act: () => Promise<T>): Promise<T | "full"> {
  if (running >= MOST) return "full";
  running += 1;
  try {
    return await act();
  } finally {
    running -= 1;
  }
}

/** What urgent messages become in a program that is waited for: they are done before `publish` resolves, or published. */
export async function doneHere(services: Services, queue: Queue, message: QueueMessage): Promise<void> {
  const done = await tryHere(services, message);
  if (!done) return queue.publish(message);
  const { later } = done;
  if (later) await queue.publish({ ...message, delaySeconds: later.retryAfterSeconds });
}

/**
 * What urgent messages become in a request, which nobody waits for after its response: they are done beside it and after it, for
 * as long as the platform lets it go on, and the queue has them a little later.
 */
export function doneBeside(waitUntil: (work: Promise<unknown>) => void) {
  return async (services: Services, queue: Queue, message: QueueMessage): Promise<void> => {
    if (running >= MOST) return queue.publish(message);
    await beside({ queue, waitUntil }, message, async () => {
      const done = await tryHere(services, message);
      return done !== undefined && done.later === undefined;
    });
  };
}

/** Nothing when there is no room, or it failed. Never throws. */
export async function tryHere(
  services: Services,
  { function: name, payload }: { function: string; payload: unknown },
): Promise<{ later: Later | undefined } | undefined> {
  const found = FUNCTIONS.find((each) => each.name === name);
  if (!found) return undefined;
  try {
    const done = await whereThereIsRoom(async () => ({
      later: (await found.run(services, JSON.stringify(payload))) ?? undefined,
    }));
    return done === "full" ? undefined : done;
  } catch (cause) {
    services.log.warn("what was to be done at once is left to the queue", { function: name, cause });
    return undefined;
  }
}
