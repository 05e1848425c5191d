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

async function* chunksOf(...raw: unknown[]): AsyncGenerator<Chunk> {
  for (const chunk of raw) yield Chunk.parse(chunk);
}
const delta = (content: string) => ({ choices: [{ delta: { content } }] });
const callPart = (part: object) => ({ choices: [{ delta: { tool_calls: [part] } }] });

const c1 = (text: string) => callPart({ index: 0, id: "c1", function: { name: "run", arguments: text } });

describe("the fold of chat completion chunks", () => {
  it("copes with neither index, id, arguments, finish reason nor usage", async () => {
    const chunks = fixtureChunks("openai-calls-without-index-and-id", Chunk);
    const id = expect.stringMatching(/^call_\w{32}$/u);
    expect((await fold(chunks, { isDone: true })).at(-1)).toEqual({
      type: "finished",
      text: "",
      finishReason: "tool_calls",
      toolCalls: [
        { id, name: "get_weather", arguments: '{"location":"Paris"}' },
        { id, name: "get_time", arguments: "{}" },
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

  it.each([
    ["nothing", []],
    ["text", [delta("Hi")]],
    ["half a tool call", [c1('{"a')]],
    ["a whole tool call", [c1('{"a":1}')]],
  ])("refuses a stream that ends without a reason and an end mark after %s", async (_, raw) => {
    await expect(fold(chunksOf(...raw))).rejects.toMatchObject({ code: "bad_response", retryable: true });
  });
});
