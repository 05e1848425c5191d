import { AsyncLocalStorage } from "node:async_hooks";

/** Whoever holds a key of a run, and those who wait for it, one after the other. */
type Queues = Map<string, Promise<unknown>>;

const runs = new AsyncLocalStorage<Queues>();

/** Do something with locks of its own, which nothing outside it waits for. */
export function withOwnLocks<T>(act: () => Promise<T>): Promise<T> {
  return runs.run(new Map(), act);
}

/**
 * Stands in for the package `async-lock`, of which isomorphic-git uses `acquire` alone (wrangler.toml names it as its alias).
 * There one lock serves the whole isolate, with names of branches as keys: operations of different projects wait for each
 * other, and who lets go runs the next one's code, which workerd refuses because it belongs to another object. Here a run
 * has its own. Operations that change one project come one at a time anyway.
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
