import { describe, expect, it } from "vitest";
import { choosePlatformModel } from "#src/models/choose.ts";
import type { ModelEvent } from "#src/models/model.ts";

const opening = {
  "gpt-5": 'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n',
  "claude-sonnet-5-5":
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}\n\n',
};
const ending = {
  "gpt-5": 'data: {"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  "claude-sonnet-5-5":
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}\n\n' +
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n' +
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
};
const names = ["gpt-5", "claude-sonnet-5-5"] as const;
const request = { system: "Be brief.", messages: [{ role: "user" as const, content: "hi" }], tools: [] };

/** A platform model at a server that sends the frames and, unless they are the whole answer, falls silent. */
function answering(name: string, frames: string[], { silent }: { silent: boolean }) {
  return choosePlatformModel({
    name,
    accounts: {
      openai: { apiKey: "k", baseURL: "https://openai.test/v1" },
      anthropic: { apiKey: "k", baseURL: "https://anthropic.test" },
      demoURL: undefined,
    },
    stallMs: 60_000,
    maxRetries: 0,
    fetch: async () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      for (const frame of frames) void writer.write(new TextEncoder().encode(frame)).catch(() => {});
      if (!silent) void writer.close().catch(() => {});
      return new Response(readable, { headers: { "content-type": "text/event-stream" } });
    },
  });
}

describe.each(names)("%s in workerd", (name) => {
  it("streams an answer through the vendor's SDK, loaded with the first call", async () => {
    const model = answering(name, [opening[name], ending[name]], { silent: false });
    const events = await Array.fromAsync(model.stream(request, new AbortController().signal));
    expect(events.map((event) => event.type)).toEqual(["text_delta", "text_delta", "finished"]);
    expect(events.at(-1)).toMatchObject({ text: "Hello", finishReason: "stop" });
  });

  it("ends with the signal's reason when aborted in the middle", async () => {
    const caller = new AbortController();
    const reason = new Error("cancelled");
    const seen: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of answering(name, [opening[name]], { silent: true }).stream(
        request,
        caller.signal,
      )) {
        seen.push(event);
        caller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(seen).toEqual([{ type: "text_delta", text: "Hel" }]);
  });
});
