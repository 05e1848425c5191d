import { describe, expect, it } from "vitest";
import { heardIn } from "#src/lib/server-sent-events.ts";
import { streamInPieces } from "#test/support/pieces.ts";

describe("reading a log's stream", () => {
  const text =
    'id: 1\nevent: a\ndata: {"type":"a","x":"é\\n"}\n\n: keep-alive\n\nid: 2\nevent: b\ndata: {"type":"b"}\n\n';

  it.each([1, 5, 1000])("takes it in pieces of %d bytes", async (size) => {
    const heard = await Array.fromAsync(heardIn(streamInPieces(text, size)));
    expect(heard.flatMap((each) => (each.kind === "events" ? each.events : []))).toEqual([
      { id: 1, type: "a", data: '{"type":"a","x":"é\\n"}' },
      { id: 2, type: "b", data: '{"type":"b"}' },
    ]);
  });
});
