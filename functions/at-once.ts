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

/**
 * What urgent messages become in an executor, which has a place and is waited for: they are done before `publish` resolves, or
 * published.
 */
export async function doneHere(services: Services, queue: Queue, message: QueueMessage): Promise<void> {
  const done = await attempt(services, message);
  if (!done) return queue.publish(message);
  const { later } = done;
  if (later) await queue.publish({ ...message, delaySeconds: later.retryAfterSeconds });
}

/**
 * What urgent messages become in a request: they are done beside it and after its response, for as long as the platform lets the
 * request go on. No caller waits for that, so the queue has them a little later.
 */
export function doneBeside(waitUntil: (work: Promise<unknown>) => void) {
  return async (services: Services, queue: Queue, message: QueueMessage): Promise<void> => {
    if (running >= MOST) return queue.publish(message);
    await beside({ queue, waitUntil }, message, async () => {
      const isDone = await isDoneHere(services, message);
      // The request waits for announcements once, perhaps before this work makes its own.
      await services.fileChanges.sent();
      return isDone;
    });
  };
}

/** Does what a message to the queue says. False when there is no room for it, when it failed, and when it is to be done later. */
export async function isDoneHere(
  services: Services,
  message: Pick<QueueMessage, "function" | "payload">,
): Promise<boolean> {
  const done = await whereThereIsRoom(() => attempt(services, message));
  return done !== "full" && done !== undefined && done.later === undefined;
}

/** Nothing when it failed. Never throws. */
async function attempt(
  services: Services,
  { function: name, payload }: Pick<QueueMessage, "function" | "payload">,
): Promise<{ later: Later | undefined } | undefined> {
  const found = FUNCTIONS.find((each) => each.name === name);
  if (!found) return undefined;
  try {
    return { later: (await found.run(services, JSON.stringify(payload))) ?? undefined };
  } catch (cause) {
    services.log.warn("what was to be done at once is left to the queue", { function: name, cause });
    return undefined;
  }
}
