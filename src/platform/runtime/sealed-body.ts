import { AppError } from "#src/lib/errors.ts";

/**
 * A body that breaks off on its way can end there like a whole one (seen in workerd, through an object's `fetch`), so the
 * sender puts a seal at its end: random bytes that the request names. Only a sealed body has arrived.
 */
export function newSeal(): string {
  return crypto.randomUUID();
}

/** The body with its seal. An error of the body stays one, and no seal follows it. */
export function sealed(body: ReadableStream<Uint8Array>, seal: string): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      flush: (controller) => controller.enqueue(new TextEncoder().encode(seal)),
    }),
  );
}

/** The body without its seal. Throws `invalid_input` at the end of one that has none. */
export async function* unsealed(
  body: AsyncIterable<Uint8Array>,
  seal: string,
): AsyncGenerator<Uint8Array, undefined> {
  const expected = new TextEncoder().encode(seal);
  // The last bytes that came: the seal, as soon as nothing follows.
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
