import type { BegunStep } from "../task-log/protocol.ts";
import type { AtOnce } from "#src/services.ts";
import { beside } from "#src/work/beside.ts";

/**
 * The entry of this Worker that executes for objects, outside of their one thread. It runs as long as its caller waits, and an
 * object that waits stays in memory.
 */
export interface ExecutorEntry {
  /** Returns when the step is over; at once with `full` when this isolate has no room for it. Throws as the step does. */
  executeStep(step: BegunStep): Promise<"done" | "full">;
  /** Does what a message to the queue says. Returns whether it did it: it had room for it, and did not fail. */
  perform(message: { function: string; payload: unknown }): Promise<boolean>;
}

/** The Worker's entry, by the exports of an object's context; nothing where only the object is loaded. */
export function executorIn(exports: object): ExecutorEntry | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- src/worker.ts exports the class, whose types this layer does not know
  return (exports as { Executor?: ExecutorEntry }).Executor;
}

/** What urgent messages become in an object: the Worker does them beside it, and the queue has them a little later. */
export function doneByWorker({ exports, waitUntil }: Context): AtOnce {
  return async (_services, queue, message) => {
    const executor = executorIn(exports);
    if (!executor) return queue.publish(message);
    const { function: name, payload } = message;
    await beside({ queue, waitUntil }, message, () => executor.perform({ function: name, payload }));
  };
}

interface Context {
  exports: object;
  waitUntil: (work: Promise<unknown>) => void;
}
