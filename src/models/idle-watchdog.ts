import { ModelError } from "./model.ts";

/**
 * Adds an idle timeout to a model's `fetch`: when neither the response's head nor the next bytes of its body arrive
 * within `stallMs`, the request is aborted and fails with a retryable `stalled`.
 *
 * It watches bytes rather than events: while a model thinks, or writes the arguments of a tool call, the agent sees no
 * event, and the SDKs swallow keep-alive comments and pings. The clock runs only while bytes are awaited, so a slow
 * reader is not a stall. A stall or the caller's abort ends the call even if the transport ignores the abort.
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
