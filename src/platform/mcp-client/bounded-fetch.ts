/** Largest response of a server, in bytes: a whole answer, or all events of one stream. */
export const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** A response had more than `MAX_RESPONSE_BYTES`. */
export class TooLarge extends Error {
  override name = "TooLarge";

  constructor() {
    super(`The response is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB`);
  }
}

/**
 * A fetch whose responses end with `TooLarge` when they are too large. `onTooLarge` is told as well, because a client that reads
 * a stream of events takes a broken one for a lost connection. `reset` counts anew, where one response answers many requests.
 */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  onTooLarge: (error: TooLarge) => void,
): { send: typeof globalThis.fetch; reset: () => void } {
  let resets = 0;
  const send: typeof globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (!answer.body) return answer;
    let size = 0;
    let since = resets;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        if (since !== resets) size = 0;
        since = resets;
        size += bytes.byteLength;
        if (size <= MAX_RESPONSE_BYTES) return controller.enqueue(bytes);
        const error = new TooLarge();
        onTooLarge(error);
        controller.error(error);
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(bounded), { status, statusText, headers });
  };
  return { send, reset: () => void (resets += 1) };
}
