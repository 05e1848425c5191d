import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { EntryWithContent } from "./project-storage.ts";

/**
 * Entries with their contents as one stream of bytes: for each entry the length of its header (four bytes, big-endian),
 * the header as JSON, and the content; a length of zero at the end. A stream without that end is incomplete.
 */

const Header = z.object({
  path: z.string(),
  kind: z.enum(["file", "directory", "symlink"]),
  size: z.number().int().nonnegative(),
  mode: z.number().int().nonnegative(),
  modifiedAt: z.number(),
  target: z.string(),
});

const LENGTH_BYTES = 4;
/** A path has at most 4,096 bytes, and so has a link's target. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Bytes that are gathered before they are passed on, in both directions, because each chunk of a stream has a cost. */
const GATHERED_BYTES = 256 * 1024;

/**
 * Writes entries. The stream breaks off where the iteration throws, and where an entry's content does not have its
 * declared length.
 */
export function encodeEntries(entries: AsyncIterable<EntryWithContent>): ReadableStream<Uint8Array> {
  const bytes = gathered(bytesOf(entries));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await bytes.return(undefined)),
  });
}

async function* bytesOf(entries: AsyncIterable<EntryWithContent>): AsyncGenerator<Uint8Array, undefined> {
  for await (const { entry, content } of entries) {
    const { path, kind, size, mode, modifiedAt, target } = entry;
    const header = new TextEncoder().encode(JSON.stringify({ path, kind, size, mode, modifiedAt, target }));
    yield lengthOf(header.byteLength);
    yield header;
    let left = size;
    for await (const chunk of content) {
      left -= chunk.byteLength;
      if (left < 0) break;
      yield chunk;
    }
    if (left !== 0)
      throw new AppError("unavailable", `${path} changed its size while it was read; try again`);
  }
  yield lengthOf(0);
}

/** Yields the same bytes in fewer chunks: small ones are joined, large ones pass unchanged. */
async function* gathered(
  pieces: AsyncGenerator<Uint8Array, undefined>,
): AsyncGenerator<Uint8Array, undefined> {
  let held = new Uint8Array(GATHERED_BYTES);
  let filled = 0;
  for await (const piece of pieces) {
    if (filled > 0 && filled + piece.byteLength > GATHERED_BYTES) {
      yield held.subarray(0, filled);
      held = new Uint8Array(GATHERED_BYTES);
      filled = 0;
    }
    if (piece.byteLength > GATHERED_BYTES) yield piece;
    else {
      held.set(piece, filled);
      filled += piece.byteLength;
    }
  }
  if (filled > 0) yield held.subarray(0, filled);
}

function lengthOf(bytes: number): Uint8Array {
  const field = new Uint8Array(LENGTH_BYTES);
  new DataView(field.buffer).setUint32(0, bytes);
  return field;
}

/** Reads entries. Throws `unavailable` at the end of an incomplete stream, and `invalid_input` for any other data. */
export async function* decodeEntries(stream: ReadableStream<Uint8Array>): AsyncGenerator<EntryWithContent> {
  const source = new ByteSource(stream);
  try {
    for (;;) {
      const field = await source.take(LENGTH_BYTES);
      const length = new DataView(field.buffer, field.byteOffset, LENGTH_BYTES).getUint32(0);
      if (length === 0) return;
      if (length > MAX_HEADER_BYTES) throw new AppError("invalid_input", "Not a stream of entries");
      const header = await source.take(length);
      const entry = parseJson(new TextDecoder().decode(header), Header);
      const content = source.chunks(entry.size);
      yield { entry, content };
      // Skip what the reader left unread before the next header.
      for await (const _ of content);
    }
  } finally {
    await source.cancel();
  }
}

/** A stream of bytes that is read in pieces of a given length. */
class ByteSource {
  readonly #read: () => Promise<Uint8Array | undefined>;
  readonly #cancel: () => Promise<void>;
  #held: Uint8Array = new Uint8Array();

  constructor(stream: ReadableStream<Uint8Array>) {
    const reader = readerOf(stream);
    this.#read = reader.read;
    this.#cancel = reader.cancel;
  }

  async take(length: number): Promise<Uint8Array> {
    const piece = new Uint8Array(length);
    let filled = 0;
    for await (const chunk of this.chunks(length)) {
      piece.set(chunk, filled);
      filled += chunk.byteLength;
    }
    return piece;
  }

  /** Yields the next bytes as they arrive. What one iteration leaves can be iterated again. */
  chunks(length: number): AsyncIterable<Uint8Array> {
    let left = length;
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      if (left === 0) return { done: true, value: undefined };
      while (this.#held.byteLength === 0) await this.#fill();
      const chunk = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(chunk.byteLength);
      left -= chunk.byteLength;
      return { done: false, value: chunk };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  async #fill(): Promise<void> {
    const value = await this.#read();
    if (!value) throw new AppError("unavailable", "The transfer of the files broke off; try again");
    this.#held = value;
  }

  async cancel(): Promise<void> {
    await this.#cancel().catch(() => undefined);
  }
}

/**
 * Reads a stream to its end. Without a buffer to fill, workerd returns a stream's bytes in chunks of 4 KiB, each in a
 * separate turn.
 */
export function readerOf(stream: ReadableStream<Uint8Array>): {
  read: () => Promise<Uint8Array | undefined>;
  cancel: () => Promise<void>;
} {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    // A stream that provides its own chunks.
    const own = stream.getReader();
    return { read: async () => (await own.read()).value, cancel: () => own.cancel() };
  }
  const read = async () => {
    const { value } = await reader.read(new Uint8Array(GATHERED_BYTES));
    // At the end the buffer is returned empty.
    return value && value.byteLength > 0 ? value : undefined;
  };
  return { read, cancel: () => reader.cancel() };
}
