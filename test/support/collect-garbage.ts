import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: unknown;

/** Collects what nothing refers to, and lets what watches for that act on it. In Node alone. */
export async function collectGarbage(): Promise<void> {
  // Only now: files that workerd loads as well import this one, and workerd has no such flag.
  setFlagsFromString("--expose-gc");
  collect ??= runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("This engine collects no garbage on demand");
  for (let times = 0; times < 5; times += 1) {
    collect();
    await setImmediate();
  }
}
