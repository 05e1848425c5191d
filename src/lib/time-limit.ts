/** Aborts its signal when the time is over; once it is disposed of, it aborts no more. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A limit of so many milliseconds, held with `using`. Its signal aborts as that of `AbortSignal.timeout` does, and when `signal`
 * does. `AbortSignal.timeout` itself is not used: its timer cannot be ended, and keeps the request or the object that set it
 * in memory until the time is over, long after the answer (https://github.com/cloudflare/workerd/issues/4936).
 */
export function timeLimit(milliseconds: number, signal?: AbortSignal): TimeLimit {
  const over = new AbortController();
  const late = () => over.abort(new DOMException("It took too long", "TimeoutError"));
  const timer = setTimeout(late, milliseconds);
  const follow = () => over.abort(signal?.reason);
  if (signal?.aborted) follow();
  else signal?.addEventListener("abort", follow, { once: true });
  return {
    signal: over.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", follow);
    },
  };
}

/** The result of `work` in a box, or undefined when it takes longer; it then goes on. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<{ value: T } | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), milliseconds);
  try {
    return await Promise.race([work.then((value) => ({ value })), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
