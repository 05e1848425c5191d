/** Time and chance, so that tests decide both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** From 0 to 1, without 1. */
  random: () => number;
  /** Resolves after the time; rejects with the signal's reason when it is aborted. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** The longest time that `setTimeout` takes; it fires at once for more. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep(ms, signal) {
    let timer: ReturnType<typeof setTimeout>;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(ms, MAX_TIMEOUT_MS));
    });
    return unlessAborted(passed, signal).finally(() => clearTimeout(timer));
  },
};

/** Acts once when a signal is aborted, or now if it is. Returns what takes the wish back. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  else signal?.addEventListener("abort", act, { once: true });
  return () => signal?.removeEventListener("abort", act);
}

/** As the promise, but rejects with the signal's reason when it is aborted first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal?.reason));
    void promise.then(resolve, reject).finally(forget);
  });
}
