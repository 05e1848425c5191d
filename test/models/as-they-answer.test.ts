import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idRuleOf } from "#src/models/openai-style/id-rules.ts";
import { ModelError } from "#src/models/model.ts";
import { toRequest } from "#src/models/openai-style/to-request.ts";
import { streamInPieces } from "#test/support/pieces.ts";
import { runs } from "#test/support/soak.ts";
import { refusedByOpenAi } from "#test/support/strict/openai.ts";
import { goingOn, modelAnswering, refusalsAfter, said, streamOf, toStream, type Wire } from "./answering.ts";
import { fixtureLines } from "./fixture.ts";

async function replay(wire: Wire, name: string, model?: string) {
  const stream = toStream(await fixtureLines(name));
  return said(modelAnswering(wire, () => streamOf(stream), model));
}

/** The text and the calls of an answer of which so much arrives, in pieces of a size; undefined where it fails as broken off. */
async function arrived(wire: Wire, name: string, { share = 1, size = 1_000 } = {}) {
  const stream = toStream(await fixtureLines(name));
  const pieces = streamInPieces(stream.slice(0, Math.ceil(stream.length * share)), size);
  const answer = () => new Response(pieces, { headers: { "content-type": "text/event-stream" } });
  try {
    const { text, toolCalls } = (await said(modelAnswering(wire, answer))).finished;
    return { text, calls: toolCalls.map((made) => [made.name, made.arguments]) };
  } catch (error) {
    if (error instanceof ModelError && error.retryable) return undefined;
    throw error;
  }
}

const call = (name: string, args: string, id: unknown = expect.stringMatching(/^\S{1,40}$/u)) => ({
  id,
  name,
  arguments: args,
});
const writing = '{"file_path":"a.txt","content":"a"}';
const readA = call("read_file", '{"file_path":"a.txt"}');
const readB = call("read_file", '{"file_path":"b.txt"}');
const cached = { inputTokens: 2006, outputTokens: 300, cachedInputTokens: 1920, cacheWriteTokens: 0 };

const both: Wire[] = ["openai", "anthropic"];
const each = (name: string, expected: object, wires: readonly Wire[] = both) =>
  wires.map((wire) => ({ wire, name, expected }));

/** Answers as providers, gateways and local servers send them, and what is made of each. */
const ANSWERS = [
  ...each("name-with-prefix", { toolCalls: [call("write_file", writing)] }),
  ...each("name-with-channel", { toolCalls: [call("write_file", writing)] }, ["openai"]),
  ...each(
    "names-that-are-none",
    { toolCalls: ["write file", "", "w".repeat(200), "файл"].map((name) => call(name, "{}")) },
    ["openai"],
  ),
  ...each("lone-surrogates", { text: "half \uD83D and \0", toolCalls: [{ name: "write_file" }] }),
  ...each("whole-calls-one-index-without-ids", { toolCalls: [readA, readB] }, ["openai"]),
  ...each("equal-ids", { toolCalls: [readA, readB] }, ["openai"]),
  ...each("empty-ids", { toolCalls: [readA, readB] }, ["openai"]),
  ...each(
    "index-as-text-and-numeric-ids",
    {
      toolCalls: [
        { ...readA, id: "1" },
        { ...readB, id: "2" },
      ],
    },
    ["openai"],
  ),
  ...each("arguments-as-object", { toolCalls: [readA, readB], finishReason: "tool_calls" }, ["openai"]),
  ...each("name-in-pieces", { toolCalls: [readA, readB] }, ["openai"]),
  ...each("legacy-function-call", { toolCalls: [readA], finishReason: "tool_calls" }, ["openai"]),
  ...each(
    "arguments-empty-and-null",
    { toolCalls: [call("get_project_info", "{}"), call("git_status", "{}"), call("git_log", "{}")] },
    ["openai"],
  ),
  ...each(
    "arguments-cut-at-length",
    { toolCalls: [readA, call("git_status", "{")], finishReason: "length" },
    ["openai"],
  ),
  ...each("text", { text: "Hello!", toolCalls: [], finishReason: "stop", usage: cached }, ["openai"]),
  ...each(
    "tool-calls",
    {
      toolCalls: [
        call("get_weather", '{"location":"Paris"}', "call_DdmO9pD3xa9XTPNJ32zg2hcA"),
        call("get_weather", '{"location":"Bogotá"}', "call_ABCfj3xa9XTPNJ32zg2hcQQQ"),
      ],
      usage: { inputTokens: 82, outputTokens: 34 },
    },
    ["openai"],
  ),
  ...each(
    "whole-calls-all-index-0",
    { toolCalls: [call("get_weather", '{"location":"Paris"}'), call("get_time", '{"zone":"CET"}')] },
    ["openai"],
  ),
  ...each(
    "tool-use",
    {
      text: "Okay, let's check the weather:",
      toolCalls: [
        call("get_weather", '{"location": "San Francisco, CA"}', "toolu_01T1x1fJ34qAmk2tNTrN7Up6"),
        call("get_time", "{}", "toolu_02"),
      ],
      finishReason: "tool_calls",
      usage: { inputTokens: 2572, outputTokens: 89, cachedInputTokens: 2000, cacheWriteTokens: 100 },
    },
    ["anthropic"],
  ),
  ...each("whole-calls-one-index", { toolCalls: [readA, readB] }, ["anthropic"]),
  ...each("ids-missing-equal-and-numeric", { toolCalls: [readA, readB, { ...readA, id: "7" }, readB] }, [
    "anthropic",
  ]),
  ...each("index-as-text", { toolCalls: [readA, readB] }, ["anthropic"]),
  ...each("input-as-object", { toolCalls: [readA, readB] }, ["anthropic"]),
  ...each("input-empty", { toolCalls: [call("get_project_info", "{}"), call("git_status", "{}")] }, [
    "anthropic",
  ]),
  ...each("input-cut-at-length", { toolCalls: [readA, call("git_status", "{")], finishReason: "length" }, [
    "anthropic",
  ]),
  ...each("content-as-parts", { text: "Here it is.", thought: "Let me see." }, ["openai"]),
  ...each("text-in-the-block-start", { text: "Here it is." }, ["anthropic"]),
  ...each("two-choices", { text: "One more", finishReason: "stop" }, ["openai"]),
  ...each("refusal", { text: "I cannot do that.", finishReason: "content_filter" }, ["openai"]),
  ...each("think", { text: "Here it is.", thought: "\nThe user wants x.\n" }),
  ...each("think-never-closed", { text: "", thought: "I am still thinking", finishReason: "length" }, [
    "openai",
  ]),
  ...each(
    "think-in-code",
    { text: "Models write `<think>` first:\n```\n<think>example</think>\n```\nThe <think> tag has an end." },
    ["openai"],
  ),
  ...each("usage-then-nothing", { usage: cached }, ["openai"]),
  ...each(
    "usage-then-nothing",
    { usage: { inputTokens: 2070, outputTokens: 300, cachedInputTokens: 1920, cacheWriteTokens: 64 } },
    ["anthropic"],
  ),
  ...each(
    "usage-of-deepseek",
    { usage: { inputTokens: 100, outputTokens: 5, cachedInputTokens: 64, cacheWriteTokens: 0 } },
    ["openai"],
  ),
];

describe("an answer", () => {
  it.each(ANSWERS)("is understood, and goes back as every provider takes it: $wire $name", async (row) => {
    const { shown, hidden, finished } = await replay(row.wire, `${row.wire}-${row.name}`);
    expect(finished).toMatchObject(row.expected);
    expect(shown).toBe(finished.text);
    // What is not shown is counted, too, in case the answer breaks off.
    const isSilent =
      finished.thought === undefined && finished.toolCalls.every((made) => made.arguments === "{}");
    expect(hidden > 0 || isSilent).toBe(true);
    const ids = finished.toolCalls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(refusalsAfter(finished)).toEqual([]);
  });

  it("is the same in pieces of any size, and is never taken for whole where it is cut", async () => {
    const cut = fc.record({
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      size: fc.integer({ min: 1, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ANSWERS), cut, async ({ wire, name: row }, { share, size }) => {
        const name = `${wire}-${row}`;
        const whole = await arrived(wire, name);
        expect(await arrived(wire, name, { size })).toEqual(whole);
        expect([whole, undefined]).toContainEqual(await arrived(wire, name, { share, size }));
      }),
      { numRuns: runs(25) },
    );
  });

  it.each([
    { wire: "openai", name: "cut-in-text", message: /before the answer was complete/u },
    { wire: "openai", name: "cut-after-a-call", message: /before the answer was complete/u },
    { wire: "anthropic", name: "cut-in-text", message: /before the answer was complete/u },
    { wire: "anthropic", name: "cut-after-a-call", message: /before the answer was complete/u },
    { wire: "openai", name: "finish-error", message: /with the reason error/u },
    { wire: "anthropic", name: "stop-reason-error", message: /with the reason error/u },
    { wire: "openai", name: "error-of-vllm-in-stream", message: /EngineCore encountered an issue\./u },
    { wire: "openai", name: "error-of-gemini-in-stream", message: /The model is overloaded\./u },
    { wire: "openai", name: "error-of-a-gateway-in-stream", message: /Upstream went away/u },
    { wire: "anthropic", name: "error-without-its-event", message: /Upstream went away/u },
  ] as const)("that breaks off is asked for again, and never complete: $wire $name", async (row) => {
    await expect(replay(row.wire, `${row.wire}-${row.name}`)).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(row.message),
    });
  });
});

const THOUGHT = "Two files are needed.";
const SIGNED = { extra_content: { google: { thought_signature: "EjQKMgEMOdbHJChLX75QUCJjyYlm" } } };

/**
 * Servers by the response shapes that they document: the ids that they take, and what they must find in the message with the
 * calls that comes back. Sources: https://docs.vllm.ai/en/latest/features/tool_calling.html,
 * https://docs.ollama.com/openai, https://docs.mistral.ai/capabilities/function_calling/,
 * https://ai.google.dev/gemini-api/docs/openai, https://api-docs.deepseek.com/api/create-chat-completion
 */
it.each([
  ["vllm", "Qwen/Qwen3-32B", /^chatcmpl-tool-[0-9a-f]{32}$/u, { reasoning_content: THOUGHT }, THOUGHT],
  ["ollama", "qwen3:8b", /^call_/u, {}, THOUGHT],
  ["mistral", "magistral-medium-2509", /^[a-zA-Z0-9]{9}$/u, {}, THOUGHT],
  ["gemini", "gemini-3-pro-preview", /^function-call-\d+$/u, { tool_calls: [SIGNED, {}] }, undefined],
  ["deepseek", "deepseek-chat", /^call_0\d_\w{24}$/u, { reasoning_content: THOUGHT }, THOUGHT],
] as const)(
  "the answers of %s are understood and go back as its documents say",
  async (server, model, ids, wants, thought) => {
    const { finished } = await replay("openai", `${server}-calls`, model);
    expect(finished).toMatchObject({
      toolCalls: [{ name: "write_file" }, { name: "write_file" }],
      usage: { inputTokens: 310, outputTokens: 50, cachedInputTokens: server === "deepseek" ? 256 : 0 },
    });
    expect(finished.thought).toBe(thought);
    const body = toRequest(model, goingOn(finished), "max_tokens", { ids: idRuleOf(model, "models.test") });
    expect(refusedByOpenAi(body, { ids })).toBeUndefined();
    expect(body.messages).toMatchObject([
      { role: "system" },
      { role: "user" },
      { role: "assistant", ...wants },
      { role: "tool" },
      { role: "tool" },
      { role: "user" },
    ]);
    expect((await replay("openai", `${server}-text`, model)).finished).toMatchObject({
      text: "Both are there.",
    });
  },
);
