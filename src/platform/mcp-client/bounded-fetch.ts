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
 * a stream of events takes a broken one for a lost connection.
 */
export function boundedFetch(send: typeof fetch, onTooLarge: (error: TooLarge) => void): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init);
    if (!answer.body) return answer;
    let size = 0;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
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
}
