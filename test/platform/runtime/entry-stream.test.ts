import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEntries, encodeEntries } from "#src/platform/runtime/entry-stream.ts";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";
import { anyText } from "#test/support/any-text.ts";

const file = fc.record({
  path: anyText({ minLength: 1, maxLength: 40 }).filter((path) => path.isWellFormed()),
  bytes: fc.uint8Array({ maxLength: 300, size: "max" }),
  mode: fc.nat({ max: 0o7777 }),
  modifiedAt: fc.nat(),
  target: fc.string(),
});
const files = fc.array(file, { maxLength: 8 });
type Given = typeof files extends fc.Arbitrary<infer T> ? T : never;

const toEntries = async function* (given: Given): AsyncGenerator<EntryWithContent> {
  for (const { bytes, ...rest } of given) {
    const entry: StoredEntry = { ...rest, kind: "file", size: bytes.length };
    yield { entry, content: piecesOf(bytes, 7) };
  }
};

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** A stream that hands out its bytes as a network does, or only when it is given a buffer. */
function streamOf(
  bytes: Uint8Array,
  pieceBytes: number,
  kind: "chunks" | "bytes",
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(bytes, pieceBytes);
  const pull = async (controller: {
    enqueue: (piece: Uint8Array<ArrayBuffer>) => void;
    close: () => void;
  }) => {
    const { done, value } = await pieces.next();
    if (done) controller.close();
    else controller.enqueue(new Uint8Array(value));
  };
  return kind === "chunks"
    ? new ReadableStream<Uint8Array>({ pull })
    : (new Response(new ReadableStream<Uint8Array>({ pull })).body ?? new ReadableStream());
}

async function decoded(stream: ReadableStream<Uint8Array>): Promise<Given> {
  const read: Given = [];
  for await (const { entry, content } of decodeEntries(stream)) {
    const pieces = await Array.fromAsync(content);
    const { path, mode, modifiedAt, target } = entry;
    read.push({ path, mode, modifiedAt, target, bytes: new Uint8Array(Buffer.concat(pieces)) });
  }
  return read;
}

const encoded = async (given: Given) =>
  new Uint8Array(await new Response(encodeEntries(toEntries(given))).arrayBuffer());

describe("entries as a stream of bytes", () => {
  it("come out as they went in, however the stream is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.integer({ min: 1, max: 500 }),
        fc.constantFrom("chunks", "bytes"),
        async (given, pieceBytes, kind) => {
          expect(await decoded(streamOf(await encoded(given), pieceBytes, kind))).toEqual(given);
        },
      ),
    );
  });

  it("are refused when the stream breaks off, at any byte", async () => {
    const bytes = await encoded([
      { path: "ä", bytes: new Uint8Array(20), mode: 0o644, modifiedAt: 1, target: "" },
      { path: "b", bytes: new Uint8Array(), mode: 0o644, modifiedAt: 1, target: "" },
    ]);
    for (let length = 0; length < bytes.length; length += 1) {
      const stream = streamOf(bytes.subarray(0, length), 1000, "chunks");
      await expect(decoded(stream)).rejects.toMatchObject({ code: "unavailable" });
    }
  });

  it("are refused when the bytes are none", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200, size: "max" }), async (bytes) => {
        const isEmptyList = bytes.length >= 4 && bytes.subarray(0, 4).every((byte) => byte === 0);
        fc.pre(!isEmptyList);
        await expect(decoded(streamOf(bytes, 1000, "bytes"))).rejects.toMatchObject({
          code: expect.stringMatching(/^(?:unavailable|invalid_input)$/),
        });
      }),
    );
  });

  it("break off where the iteration throws, or a content is not as long as it says", async () => {
    const entry: StoredEntry = { path: "a", kind: "file", size: 3, mode: 0o644, modifiedAt: 0, target: "" };
    const failure = new Error("the checksum is wrong");
    async function* failing() {
      yield { entry, content: piecesOf(new Uint8Array(3), 3) };
      throw failure;
    }
    await expect(decoded(encodeEntries(failing()))).rejects.toBe(failure);
    for (const length of [2, 4]) {
      async function* wrong() {
        yield { entry, content: piecesOf(new Uint8Array(length), 1) };
      }
      await expect(decoded(encodeEntries(wrong()))).rejects.toMatchObject({ code: "unavailable" });
    }
  });

  it("need not be read to the end, and then end their source", async () => {
    const ended = Promise.withResolvers<void>();
    async function* endless() {
      const facts = { kind: "file", size: 100_000, mode: 0o644, modifiedAt: 0, target: "" } as const;
      try {
        for (let index = 0; ; index += 1) {
          yield { entry: { path: `${index}`, ...facts }, content: piecesOf(new Uint8Array(100_000), 30_000) };
        }
      } finally {
        ended.resolve();
      }
    }
    for await (const { entry } of decodeEntries(encodeEntries(endless()))) if (entry.path === "2") break;
    await expect(ended.promise).resolves.toBeUndefined();
  });
});
