import { describe, expect, it } from "vitest";
import { AnswerBound } from "#src/models/answer-bound.ts";
import { withCountedTokens } from "#src/models/counted-tokens.ts";
import type { Model, ModelUsage } from "#src/models/model.ts";
import { never } from "#test/support/answering-model.ts";
import { modelAnswering, said, streamOf, toStream } from "./answering.ts";

const MEBI = 1024 * 1024;
const origin = { provider: "own", apiKey: "k" };
const tooLong = { code: "bad_response", retryable: false };

describe("an answer", () => {
  it("has a mebi of characters at most, of text and arguments together, and is not asked for again", () => {
    const bound = new AnswerBound(origin);
    bound.take("x".repeat(MEBI - 1), null, "x");
    expect(() => bound.take("x")).toThrow(expect.objectContaining(tooLong));
  });

  it("has a thousand calls at most", () => {
    const bound = new AnswerBound(origin);
    for (let call = 0; call < 1000; call += 1) bound.takeCall();
    expect(() => bound.takeCall()).toThrow(expect.objectContaining(tooLong));
  });
});

const TOO_MUCH = "x".repeat(MEBI + 1);
const chunk = (delta: object) => ({ choices: [{ index: 0, delta }] });
const called = { index: 0, id: "c", function: { name: "run", arguments: TOO_MUCH } };
const block = (content_block: object, delta: object) => [
  { type: "content_block_start", index: 0, content_block },
  { type: "content_block_delta", index: 0, delta },
];
const use = { type: "tool_use", id: "t", name: "run", input: {} };

it.each([
  ["openai", "text", [chunk({ content: TOO_MUCH })]],
  ["openai", "arguments", [chunk({ tool_calls: [called] })]],
  ["anthropic", "text", block({ type: "text", text: "" }, { type: "text_delta", text: TOO_MUCH })],
  ["anthropic", "arguments", block(use, { type: "input_json_delta", partial_json: TOO_MUCH })],
] as const)("an answer without end is broken off on the wire of %s: %s", async (wire, _, frames) => {
  const stream = toStream(frames.map((frame) => JSON.stringify(frame)));
  await expect(said(modelAnswering(wire, () => streamOf(stream)))).rejects.toMatchObject(tooLong);
});

/** What is counted of an answer of two tokens to a request of a hundred, of which the provider says this. */
async function countedAs(told: Partial<ModelUsage>): Promise<ModelUsage | undefined> {
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, ...told };
  const model: Model = {
    name: "m",
    provider: "p",
    async *stream() {
      yield { type: "finished", text: "Hello.", toolCalls: [], finishReason: "stop", usage };
    },
  };
  const request = { system: "", messages: [{ role: "user" as const, content: "a".repeat(400) }], tools: [] };
  const [event] = await Array.fromAsync(withCountedTokens(model).stream(request, never()));
  return event?.type === "finished" ? event.usage : undefined;
}

describe("tokens", () => {
  it("are as many as the provider counts where that can be", async () => {
    const usage = { inputTokens: 90, outputTokens: 3, cachedInputTokens: 60, cacheWriteTokens: 30 };
    expect(await countedAs(usage)).toEqual(usage);
  });

  it.each([0, 1.5, -1000, 3_000_000_000, 1e15, Number.NaN, Infinity])(
    "are estimated where the provider counts %d",
    async (count) => {
      const usage = await countedAs({ inputTokens: count, outputTokens: count });
      expect(usage).toMatchObject({ outputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0 });
      expect(usage?.inputTokens).toBeGreaterThanOrEqual(100);
      expect(usage?.inputTokens).toBeLessThan(120);
    },
  );

  it("are estimated where more of them come from a cache than there are", async () => {
    expect(await countedAs({ inputTokens: 10, cachedInputTokens: 11, outputTokens: 2 })).toMatchObject({
      cachedInputTokens: 0,
    });
  });
});
