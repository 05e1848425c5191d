import { AsyncLocalStorage } from "node:async_hooks";

/** By key, the end of the queue of a run's lock holders. */
type Queues = Map<string, Promise<unknown>>;

const runs = new AsyncLocalStorage<Queues>();

/** Calls `act` with separate locks, for which no other code waits. */
export function withOwnLocks<T>(act: () => Promise<T>): Promise<T> {
  return runs.run(new Map(), act);
}

/**
 * Replaces the package `async-lock`, of which isomorphic-git uses only `acquire` (wrangler.toml aliases it). That
 * package has one lock for the whole isolate, keyed by names of branches: operations of different projects would wait
 * for each other, and the releasing one would run the next one's code, which workerd refuses because it belongs to
 * another object. Here each run has its own locks. Operations that change one project are serialised elsewhere.
 */
// oxlint-disable-next-line import/no-default-export -- as the package has it
export default class RunLock {
  acquire<T>(key: string, act: () => T | Promise<T>): Promise<T> {
    const queues: Queues = runs.getStore() ?? new Map<string, Promise<unknown>>();
    const turn = (queues.get(key) ?? Promise.resolve()).then(act);
    queues.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
