import { ModelError } from "./model.ts";

/**
 * Give a model's `fetch` an end to its patience: when neither the answer's head nor the next bytes of its body arrive
 * within `stallMs`, the request is aborted and fails with a retryable `stalled`.
 *
 * It watches bytes, not events: a model that thinks, or writes the arguments of a tool call, streams nothing the agent
 * sees, and the SDKs swallow keep-alive comments and pings. The clock runs only while bytes are awaited, so a slow reader
 * is no stall. It also ends calls, on a stall and on the caller's abort, whose transport ignores the abort.
 */
export function withIdleWatchdog(
  fetch: typeof globalThis.fetch,
  { stallMs }: { stallMs: number },
): typeof globalThis.fetch {
  return async (input, init) => {
    const silence = new AbortController();
    const signal = init?.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;

    const inTime = <T>(step: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          silence.abort(
            new ModelError("stalled", `The model sent nothing for ${stallMs / 1000} s`, { retryable: true }),
          );
        }, stallMs);
        signal.addEventListener("abort", stop, { once: true });
        if (signal.aborted) stop();
        step.then(resolve, reject).finally(() => {
          clearTimeout(timer);
          signal.removeEventListener("abort", stop);
        });
      });

    const response = await inTime(fetch(input, { ...init, signal }));
    if (!response.body) return response;
    const reader = response.body.getReader();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await inTime(reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(body, response);
  };
}
