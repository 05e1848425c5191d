import { describe, expect, it } from "vitest";
import { modelAnswering, refusalsAfter, said, streamOf, toStream, type Wire } from "./answering.ts";
import { fixtureLines } from "./fixture.ts";

async function replay(wire: Wire, name: string) {
  const stream = toStream(await fixtureLines(`${wire}-${name}`));
  return said(modelAnswering(wire, () => streamOf(stream)));
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
  ...each("name-with-channel", { toolCalls: [call("write_file", writing)] }),
  ...each("names-that-are-none", {
    toolCalls: ["write file", "", "w".repeat(200), "файл"].map((name) => call(name, "{}")),
  }),
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
  ...each("think-never-closed", { text: "", thought: "I am still thinking", finishReason: "length" }),
  ...each("think-in-code", {
    text: "Models write `<think>` first:\n```\n<think>example</think>\n```\nThe <think> tag has an end.",
  }),
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
    const { shown, finished } = await replay(row.wire, row.name);
    expect(finished).toMatchObject(row.expected);
    expect(shown).toBe(finished.text);
    const ids = finished.toolCalls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(refusalsAfter(finished)).toEqual([]);
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
    await expect(replay(row.wire, row.name)).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(row.message),
    });
  });
});
