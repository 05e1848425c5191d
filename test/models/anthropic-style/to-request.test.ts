import { describe, expect, it } from "vitest";
import { refusedByAnthropic } from "#test/support/strict/anthropic.ts";
import { longestAnswer, toRequest } from "#src/models/anthropic-style/to-request.ts";
import type { ModelMessage, ModelPart, ModelRequest } from "#src/models/model.ts";

const cached = { cache_control: { type: "ephemeral" } };
const requestOf = (messages: ModelMessage[], rest: Partial<ModelRequest> = {}) =>
  toRequest("claude-sonnet-5-5", { system: "", tools: [], messages, ...rest });
const result = (callId: string, content: string, isError = false): ModelMessage => ({
  role: "tool",
  callId,
  name: "run",
  content,
  isError,
});

const tool = (name: string) => ({ name, description: name, parameters: { properties: {} } });
const call = (id: string, text: string) => ({ id, name: "run", arguments: text });

const adaptive = { type: "adaptive", display: "summarized" };
const enabled = (budget_tokens: number) => ({ type: "enabled", budget_tokens });
const thinking = { type: "thinking", thinking: "Hm.", signature: "sig" };
const answerOf = (content: string, kept?: unknown): ModelMessage => ({
  role: "assistant",
  content,
  toolCalls: [call("c1", "{}")],
  ...(kept !== undefined && { kept: { provider: "p", model: "m", prefix: "x", content: kept } }),
});
const toolUse = { type: "tool_use", id: "c1", name: "run", input: {} };
/** A request that goes on after a turn's calls. */
const goingOn = (message: ModelMessage, model = "claude-sonnet-4-5") =>
  toRequest(model, {
    system: "",
    tools: [],
    messages: [{ role: "user", content: "go" }, message, result("c1", "done")],
    effort: "low",
  });

describe("the messages request", () => {
  it("marks system, last tool and the last two user turns for the cache: four, no more", () => {
    const request = requestOf(
      [
        { role: "user", content: "one" },
        { role: "assistant", content: "1", toolCalls: [] },
        { role: "user", content: "two" },
        { role: "assistant", content: "2", toolCalls: [] },
        { role: "user", content: "three" },
      ],
      { system: "Be brief.", tools: [tool("a"), tool("b")] },
    );
    expect(request.system).toEqual([{ type: "text", text: "Be brief.", ...cached }]);
    expect(request.tools).toEqual([
      { name: "a", description: "a", input_schema: { type: "object", properties: {} } },
      { name: "b", description: "b", input_schema: { type: "object", properties: {} }, ...cached },
    ]);
    expect(request.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "one" }] },
      { role: "assistant", content: [{ type: "text", text: "1" }] },
      { role: "user", content: [{ type: "text", text: "two", ...cached }] },
      { role: "assistant", content: [{ type: "text", text: "2" }] },
      { role: "user", content: [{ type: "text", text: "three", ...cached }] },
    ]);
    expect(JSON.stringify(request).split("cache_control")).toHaveLength(5);
  });

  it("gathers parallel results, and what the user adds, in one turn after the calls", () => {
    const { messages } = requestOf([
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "",
        toolCalls: [call("functions.run:0", '{"a":1}'), call("c2", "{oops")],
      },
      result("functions.run:0", "done"),
      result("c2", "", true),
      { role: "user", content: "and then?" },
    ]);
    const hashed = expect.stringMatching(/^[0-9a-f]{32}$/u);
    expect(refusedByAnthropic({ model: "m", max_tokens: 1, messages })).toBeUndefined();
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: hashed, name: "run", input: { a: 1 } },
          { type: "tool_use", id: "c2", name: "run", input: { invalid_arguments: "{oops" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: hashed, content: [{ type: "text", text: "done" }] },
          {
            type: "tool_result",
            tool_use_id: "c2",
            is_error: true,
            content: [{ type: "text", text: "The tool failed and said nothing." }],
          },
          { type: "text", text: "and then?", ...cached },
        ],
      },
    ]);
  });

  it("sends pictures as blocks of their own, without blank texts, and stays at four marks with one in every turn", () => {
    const image: ModelPart = { type: "image", mimeType: "image/webp", base64: "AAAA" };
    const block = { type: "image", source: { type: "base64", media_type: "image/webp", data: "AAAA" } };
    const request = requestOf(
      [
        {
          role: "user",
          content: [image, { type: "text", text: " " }, { type: "text", text: "What is this?" }],
        },
        { role: "assistant", content: "seen", toolCalls: [] },
        { role: "user", content: [image] },
        { role: "assistant", content: " \n", toolCalls: [] },
        { role: "user", content: [image] },
      ],
      { system: "Be brief.\n# AGENTS.md\nUse tabs.", tools: [tool("a")] },
    );
    expect(request.messages).toMatchObject([
      { role: "user", content: [block, { type: "text", text: "What is this?" }] },
      { role: "assistant", content: [{ type: "text", text: "seen" }] },
      { role: "user", content: [block, { ...block, ...cached }] },
    ]);
    expect(JSON.stringify(request).split("cache_control")).toHaveLength(5);
  });

  it.each([
    ["claude-sonnet-5-5", "xhigh", adaptive, { effort: "xhigh" }, 48_000],
    ["claude-opus-4-7", "low", adaptive, { effort: "low" }, 20_000],
    ["claude-opus-4-6", "xhigh", adaptive, { effort: "high" }, 48_000],
    ["claude-sonnet-4-5-20250929", "xhigh", enabled(32_000), undefined, 48_000],
    ["claude-haiku-4-5", "medium", enabled(8_000), undefined, 24_000],
    ["claude-opus-4-1", "xhigh", enabled(24_000), undefined, 32_000],
    ["claude-3-7-sonnet-latest", "low", enabled(4_000), undefined, 12_192],
    ["claude-3-5-haiku-latest", "high", undefined, undefined, 8_192],
    ["kimi-k2-thinking", "high", undefined, undefined, 16_000],
  ] as const)("asks %s to think with the effort %s", (model, effort, how, output, max) => {
    const request = toRequest(model, { system: "", tools: [], messages: [], effort });
    expect([request.thinking, request.output_config, request.max_tokens]).toEqual([how, output, max]);
  });

  it.each([
    ["claude-sonnet-4-5", 100_000, enabled(8_000), 24_000],
    ["claude-sonnet-4-5", 10_000, enabled(2_000), 10_000],
    ["claude-sonnet-4-5", 9_000, undefined, 9_000],
    ["claude-sonnet-5-5", 100, adaptive, 100],
    ["claude-3-5-haiku-latest", 1, undefined, 1],
  ] as const)(
    "asks %s for no more than %d tokens that can be paid for",
    (model, affordableTokens, how, max) => {
      const wish: ModelRequest = { system: "", tools: [], messages: [], effort: "medium", affordableTokens };
      const request = toRequest(model, wish);
      expect([request.thinking, request.max_tokens]).toEqual([how, max]);
      expect(longestAnswer(model, wish)).toBe(max);
    },
  );

  it("asks for a schema and an effort at once", () => {
    const format = { type: "json_schema", name: "n", schema: {} } as const;
    const request = toRequest("claude-sonnet-5-5", {
      system: "",
      tools: [],
      messages: [],
      effort: "low",
      options: { format },
    });
    expect(request.output_config).toEqual({ effort: "low", format: { type: "json_schema", schema: {} } });
  });

  it("does not ask a model that is told a number to think on where its thinking is not there", () => {
    expect(goingOn(answerOf("I look."))).not.toHaveProperty("thinking");
    expect(goingOn(answerOf("I look.", [thinking])).thinking).toEqual(enabled(4_000));
    expect(goingOn(answerOf("I look."), "claude-sonnet-5-5").thinking).toEqual(adaptive);
  });

  it.each([
    [
      "in the order it came",
      "One.Two.",
      [thinking, { type: "text", chars: 4 }, thinking, { type: "text", chars: 4 }, { type: "tool_use" }],
      [thinking, { type: "text", text: "One." }, thinking, { type: "text", text: "Two." }, toolUse],
    ],
    [
      "with a text that was changed in one piece",
      "«secret» and more.",
      [{ type: "text", chars: 4 }, thinking, { type: "text", chars: 4 }, { type: "tool_use" }],
      [{ type: "text", text: "«secret» and more." }, thinking, toolUse],
    ],
    [
      "as text and calls where the order cannot be read",
      "One.",
      "?",
      [{ type: "text", text: "One." }, toolUse],
    ],
  ])("sends an answer back %s", (_, content, kept, expected) => {
    const { messages } = requestOf([{ role: "user", content: "go" }, answerOf(content, kept)]);
    expect(messages[1]?.content).toEqual(expected);
  });

  it.each([
    ["claude-sonnet-5-5", 500, 500],
    ["claude-sonnet-5-5", undefined, 16_000],
    ["claude-3-5-haiku-latest", undefined, 8192],
  ])("asks %s, limited to %s, for at most %d tokens", (model, maxOutputTokens, expected) => {
    const request: ModelRequest = { system: "", tools: [], messages: [] };
    const limited = maxOutputTokens === undefined ? request : { ...request, maxOutputTokens };
    expect(toRequest(model, limited).max_tokens).toBe(expected);
  });
});
