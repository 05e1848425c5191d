import { describe, expect, it } from "vitest";
import { toEvents } from "#src/models/openai-style/to-events.ts";
import { Chunk } from "#src/models/openai-style/wire.ts";
import { callIds } from "#src/models/tool-calls.ts";
import { fixtureChunks } from "#test/models/fixture.ts";

const keep = (content: unknown) => ({ provider: "openai", model: "m", prefix: null, content });
/** What a stream of chunks says; `isDone` says that the end mark followed. */
async function fold(chunks: AsyncIterable<Chunk>, { isDone = false } = {}) {
  const origin = { provider: "openai", apiKey: "k" };
  const folding = { origin, tools: [], toId: callIds([]), keep, isDone: () => isDone };
  const said = await Array.fromAsync(toEvents(chunks, folding));
  return said.filter(({ type }) => type !== "hidden_delta");
}
const replay = (name: string) => fold(fixtureChunks(name, Chunk), { isDone: true });

async function* chunksOf(...raw: unknown[]): AsyncGenerator<Chunk> {
  for (const chunk of raw) yield Chunk.parse(chunk);
}
const delta = (content: string) => ({ choices: [{ delta: { content } }] });
const callPart = (part: object) => ({ choices: [{ delta: { tool_calls: [part] } }] });

const c1 = (text: string) => callPart({ index: 0, id: "c1", function: { name: "run", arguments: text } });

describe("the fold of chat completion chunks", () => {
  it("streams text and counts cached tokens inside the input", async () => {
    expect(await replay("openai-text")).toEqual([
      { type: "text_delta", text: "Hello" },
      { type: "text_delta", text: "!" },
      {
        type: "finished",
        text: "Hello!",
        toolCalls: [],
        finishReason: "stop",
        usage: { inputTokens: 2006, outputTokens: 300, cachedInputTokens: 1920, cacheWriteTokens: 0 },
      },
    ]);
  });

  it("joins the pieces of parallel tool calls", async () => {
    expect((await replay("openai-tool-calls")).at(-1)).toMatchObject({
      finishReason: "tool_calls",
      toolCalls: [
        { id: "call_DdmO9pD3xa9XTPNJ32zg2hcA", name: "get_weather", arguments: '{"location":"Paris"}' },
        { id: "call_ABCfj3xa9XTPNJ32zg2hcQQQ", name: "get_weather", arguments: '{"location":"Bogotá"}' },
      ],
      usage: { inputTokens: 82, outputTokens: 34 },
    });
  });

  it("keeps whole calls apart that all claim index 0, and calls an answer with calls that", async () => {
    expect((await replay("openai-whole-calls-all-index-0")).at(-1)).toMatchObject({
      finishReason: "tool_calls",
      toolCalls: [
        { id: "function-call-1", name: "get_weather", arguments: '{"location":"Paris"}' },
        { id: "function-call-2", name: "get_time", arguments: '{"zone":"CET"}' },
      ],
    });
  });

  it("copes with neither index, id, arguments, finish reason nor usage", async () => {
    expect((await replay("openai-calls-without-index-and-id")).at(-1)).toEqual({
      type: "finished",
      text: "",
      finishReason: "tool_calls",
      toolCalls: [
        {
          id: expect.stringMatching(/^call_\w{32}$/u),
          name: "get_weather",
          arguments: '{"location":"Paris"}',
        },
        { id: expect.stringMatching(/^call_\w{32}$/u), name: "get_time", arguments: "{}" },
      ],
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 },
    });
  });

  it("takes an id that is repeated with every delta for the same call", async () => {
    const events = await fold(chunksOf(c1('{"a"'), c1(":1}")), { isDone: true });
    expect(events.at(-1)).toMatchObject({ toolCalls: [{ id: "c1", name: "run", arguments: '{"a":1}' }] });
  });

  it("finishes text with the end mark and no reason as `other`", async () => {
    const events = await fold(chunksOf(delta("Hi")), { isDone: true });
    expect(events.at(-1)).toMatchObject({ text: "Hi", finishReason: "other" });
  });

  it("leaves arguments that the length limit cut as they are", async () => {
    const cut = c1('{"a');
    const events = await fold(chunksOf(cut, { choices: [{ delta: {}, finish_reason: "length" }] }));
    expect(events.at(-1)).toMatchObject({ finishReason: "length", toolCalls: [{ arguments: '{"a' }] });
  });

  it.each([
    ["nothing", []],
    ["text", [delta("Hi")]],
    ["half a tool call", [c1('{"a')]],
    ["a whole tool call", [c1('{"a":1}')]],
  ])("refuses a stream that ends without a reason and an end mark after %s", async (_, raw) => {
    await expect(fold(chunksOf(...raw))).rejects.toMatchObject({ code: "bad_response", retryable: true });
  });
});
