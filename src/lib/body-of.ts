/** Keeps a response for as long as its body. */
const responses = new WeakMap<ReadableStream, Response>();

/**
 * The body of a response, for a caller who keeps no response. Node's `fetch` cancels a body that nobody reads yet once
 * its `Response` is collected, so that it ends early and without an error (undici, `lib/web/fetch/response.js`:
 * `streamRegistry`).
 */
export function bodyOf(response: Response): ReadableStream<Uint8Array> | null {
  if (response.body) responses.set(response.body, response);
  return response.body;
}
