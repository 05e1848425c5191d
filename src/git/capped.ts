import { AppError } from "#src/lib/errors.ts";

/** Returns a body that fails with `too_large` once it exceeds the limit in bytes. */
export function capped(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): ReadableStream<Uint8Array> | null {
  let left = maxBytes;
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) {
        throw new AppError(
          "too_large",
          `The repository is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB`,
        );
      }
      controller.enqueue(chunk);
    },
  });
  return body?.pipeThrough(cap) ?? null;
}
