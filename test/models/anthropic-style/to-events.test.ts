import { describe, expect, it } from "vitest";
import { toEvents } from "#src/models/anthropic-style/to-events.ts";
import { StreamEvent } from "#src/models/anthropic-style/wire.ts";
import { callIds } from "#src/models/tool-calls.ts";
import { fixtureChunks } from "#test/models/fixture.ts";

const keep = (content: unknown) => ({ provider: "anthropic", model: "m", prefix: "p", content });
async function fold(events: AsyncIterable<StreamEvent>) {
  const origin = { provider: "anthropic", apiKey: "k" };
  const said = await Array.fromAsync(toEvents(events, { origin, tools: [], toId: callIds([]), keep }));
  return said.filter(({ type }) => type !== "hidden_delta");
}

async function* eventsOf(...raw: unknown[]): AsyncGenerator<StreamEvent> {
  for (const event of raw) yield StreamEvent.parse(event);
}

const start = (index: number, content_block: unknown) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, change: unknown) => ({ type: "content_block_delta", index, delta: change });

describe("the fold of message stream events", () => {
  it("keeps thinking apart from the text, signed as it came", async () => {
    const events = await fold(fixtureChunks("anthropic-thinking", StreamEvent));
    expect(events.map((event) => event.type)).toEqual(["text_delta", "finished"]);
    const text = "The greatest common divisor is **21**.";
    const thinking = "I need to find the GCD";
    const signature = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds";
    expect(events.at(-1)).toMatchObject({
      text,
      thought: thinking,
      kept: keep([
        { type: "thinking", thinking, signature },
        { type: "text", chars: text.length },
      ]),
      finishReason: "stop",
    });
  });

  it("keeps the order of thinking, text and calls, and redacted thinking", async () => {
    const events = await fold(
      eventsOf(
        start(0, { type: "redacted_thinking", data: "sealed" }),
        start(1, { type: "text", text: "" }),
        delta(1, { type: "text_delta", text: "Look" }),
        delta(1, { type: "text_delta", text: "ing." }),
        start(2, { type: "thinking", thinking: "", signature: "" }),
        delta(2, { type: "signature_delta", signature: "sig" }),
        start(3, { type: "tool_use", id: "t1", name: "run", input: {} }),
        { type: "message_stop" },
      ),
    );
    const finished = events.at(-1);
    expect(finished).toMatchObject({
      kept: keep([
        { type: "redacted_thinking", data: "sealed" },
        { type: "text", chars: 8 },
        { type: "thinking", thinking: "", signature: "sig" },
        { type: "tool_use" },
      ]),
    });
    expect(finished).not.toHaveProperty("thought");
  });

  it("passes over what it does not know, and has nothing to send back of an answer without thinking", async () => {
    const events = await fold(
      eventsOf(
        { type: "ping" },
        { type: "content_block_start", index: 0, content_block: { type: "container_upload", file_id: "f" } },
        { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation: {} } },
        { type: "message_stop" },
      ),
    );
    expect(events).toEqual([expect.objectContaining({ type: "finished", text: "" })]);
    expect(events[0]).not.toHaveProperty("kept");
  });

  it.each([
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["pause_turn", "other"],
  ])("maps the stop reason %s to %s", async (raw, finishReason) => {
    const events = await fold(
      eventsOf({ type: "message_delta", delta: { stop_reason: raw } }, { type: "message_stop" }),
    );
    expect(events).toMatchObject([{ type: "finished", finishReason }]);
  });

  it("does not pass over a known event in a wrong shape", () => {
    expect(
      StreamEvent.safeParse({ type: "content_block_delta", index: 0, delta: { type: "text_delta" } }).success,
    ).toBe(false);
  });
});
