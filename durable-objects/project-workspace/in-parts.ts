/**
 * Cut a stream of any chunks into parts of exactly `partBytes`, the last one excepted. One part is in memory at a time.
 * Returning early cancels the stream.
 */
export async function* inParts(
  body: ReadableStream<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array, undefined> {
  let part = new Uint8Array(partBytes);
  let filled = 0;
  for await (let chunk of body) {
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, partBytes - filled);
      part.set(taken, filled);
      filled += taken.length;
      chunk = chunk.subarray(taken.length);
      if (filled < partBytes) continue;
      yield part;
      part = new Uint8Array(partBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
