import { describe, expect, it } from "vitest";
import type { KeptPart } from "#src/models/kept-part.ts";
import { toEvents } from "#src/models/openai-style/to-events.ts";
import { toRequest } from "#src/models/openai-style/to-request.ts";
import { Chunk } from "#src/models/openai-style/wire.ts";
import { callIds } from "#src/models/tool-calls.ts";

async function* chunksOf(deltas: readonly object[]): AsyncGenerator<Chunk> {
  for (const delta of deltas) yield Chunk.parse({ choices: [{ delta }] });
  yield Chunk.parse({ choices: [{ finish_reason: "stop" }] });
}
const keep = (content: unknown): KeptPart => ({ provider: "p", model: "m", prefix: null, content });

/** The end of an answer of these deltas. */
async function answer(...deltas: object[]) {
  const origin = { provider: "p", apiKey: "k" };
  const folding = { origin, tools: [], toId: callIds([]), keep, isDone: () => true };
  const events = await Array.fromAsync(toEvents(chunksOf(deltas), folding));
  const finished = events.at(-1);
  if (finished?.type !== "finished") throw new Error("The answer has no end");
  return finished;
}

/** The assistant's message with which an answer goes back. */
async function goesBack(...deltas: object[]) {
  const { text, toolCalls, kept } = await answer(...deltas);
  const message = { role: "assistant" as const, content: text, toolCalls, ...(kept && { kept }) };
  return toRequest("m", { system: "", tools: [], messages: [message] }, "max_tokens").messages[0];
}

const call = (index: number, extra: object = {}) => ({
  tool_calls: [{ index, id: `c${index}`, function: { name: "run", arguments: "{}" }, ...extra }],
});

const details = (...all: object[]) => ({ reasoning: "…", reasoning_details: all });

describe("what a compatible server says beside its answer", () => {
  it.each(["reasoning_content", "reasoning"])("is the thought, from `%s`, and no text", async (name) => {
    const finished = await answer({ [name]: "Let me " }, { [name]: "see." }, { content: "Done." });
    expect(finished).toMatchObject({ text: "Done.", thought: "Let me see." });
    expect(finished).not.toHaveProperty("kept");
  });

  it("is said once where it comes under two names", async () => {
    expect(await answer({ reasoning: "So.", reasoning_content: "So." }, { content: "x" })).toMatchObject({
      thought: "So.",
    });
  });

  it("goes back with the calls it led to, where DeepSeek looks for it", async () => {
    expect(await goesBack({ reasoning_content: "Look " }, { reasoning_content: "first." }, call(0))).toEqual({
      role: "assistant",
      content: null,
      reasoning_content: "Look first.",
      tool_calls: [{ id: "c0", type: "function", function: { name: "run", arguments: "{}" } }],
    });
    expect(await goesBack({ reasoning: "Look." }, call(0))).not.toHaveProperty("reasoning");
  });

  it("goes back as OpenRouter's details, put together from their pieces", async () => {
    const text = { type: "reasoning.text", index: 0, format: "anthropic-claude-v1" };
    const encrypted = { type: "reasoning.encrypted", index: 1, data: "one" };
    const message = await goesBack(
      details({ ...text, text: "Look " }),
      details({ ...text, text: "first." }),
      details({ ...text, signature: "sig" }),
      details(encrypted, { ...encrypted, data: "two" }),
      call(0),
    );
    expect(message).toMatchObject({
      reasoning_details: [
        { ...text, text: "Look first.", signature: "sig" },
        encrypted,
        { ...encrypted, data: "two" },
      ],
    });
    expect(message).not.toHaveProperty("reasoning_content");
  });

  it("goes back as Gemini's signature of the call that it came with", async () => {
    const extra_content = { google: { thought_signature: "sig" } };
    expect(await goesBack(call(0, { extra_content }), call(1))).toMatchObject({
      tool_calls: [{ id: "c0", extra_content }, { id: "c1" }],
    });
  });

  it("does not break an answer by being of another kind", async () => {
    const odd = { reasoning: { text: "no" }, reasoning_details: [7], content: "Done." };
    expect(await answer(odd)).toMatchObject({ text: "Done." });
  });
});
