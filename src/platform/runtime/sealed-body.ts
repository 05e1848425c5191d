import { AppError } from "#src/lib/errors.ts";

/**
 * A body that breaks off can look complete to the receiver (seen in workerd, through an object's `fetch`), so the
 * sender appends a seal: random bytes that the request names. Only a sealed body has arrived completely.
 */
export function newSeal(): string {
  return crypto.randomUUID();
}

/** Appends the seal. If the body fails, so does the result, without a seal. */
export function sealed(body: ReadableStream<Uint8Array>, seal: string): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      flush: (controller) => controller.enqueue(new TextEncoder().encode(seal)),
    }),
  );
}

/** Removes the seal. Throws `invalid_input` at the end of a body without one. */
export async function* unsealed(
  body: AsyncIterable<Uint8Array>,
  seal: string,
): AsyncGenerator<Uint8Array, undefined> {
  const expected = new TextEncoder().encode(seal);
  // The last bytes received: the seal, if nothing follows.
  let held: Uint8Array = new Uint8Array();
  for await (const chunk of body) {
    const ready = held.length + chunk.length - expected.length;
    const fromHeld = Math.min(Math.max(ready, 0), held.length);
    const fromChunk = Math.max(ready - fromHeld, 0);
    if (fromHeld > 0) yield held.slice(0, fromHeld);
    if (fromChunk > 0) yield chunk.subarray(0, fromChunk);
    const next = new Uint8Array(held.length - fromHeld + chunk.length - fromChunk);
    next.set(held.subarray(fromHeld));
    next.set(chunk.subarray(fromChunk), held.length - fromHeld);
    held = next;
  }
  const isWhole = held.length === expected.length && held.every((byte, index) => byte === expected[index]);
  if (!isWhole) throw new AppError("invalid_input", "The body broke off before its end");
}
