import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#src/models/model.ts";
import { alternating } from "#src/models/openai-style/alternating.ts";
import { needsBreakpoints } from "#src/models/openai-style/breakpoints.ts";
import { toRequest } from "#src/models/openai-style/to-request.ts";

const part = (text: string) => ({ type: "text" as const, text });
const call = (text: string) => ({ id: "c1", name: "run", arguments: text });
const after = (text: string) =>
  toRequest(
    "m",
    { system: "", tools: [], messages: [{ role: "assistant", content: "", toolCalls: [call(text)] }] },
    "max_tokens",
  ).messages[0];

const user = (content: string, name?: string) => ({
  role: "user" as const,
  content,
  ...(name && { name }),
});
const said = (content: string) => ({ role: "assistant" as const, content, toolCalls: [] });
const alternated = (messages: ModelRequest["messages"]) =>
  alternating(toRequest("m", { system: "", tools: [], messages }, "max_tokens").messages);

describe("the chat completion request", () => {
  it("carries system prompt, history, tools and limit", () => {
    const parameters = { type: "object", properties: {} };
    const request = toRequest(
      "gpt-5",
      {
        system: "Be brief.",
        messages: [
          { role: "user", content: "run it" },
          { role: "assistant", content: "", toolCalls: [call('{"a":1}')] },
          { role: "tool", callId: "c1", name: "run", content: "done", isError: false },
        ],
        tools: [{ name: "run", description: "Runs", parameters }],
        maxOutputTokens: 100,
      },
      "max_completion_tokens",
    );
    expect(request).toEqual({
      model: "gpt-5",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 100,
      tools: [{ type: "function", function: { name: "run", description: "Runs", parameters } }],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "run it" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "run", arguments: '{"a":1}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "done" },
      ],
    });
  });

  it.each([
    [{ maxOutputTokens: 100, affordableTokens: 7 }, 7],
    [{ maxOutputTokens: 100, affordableTokens: 700 }, 100],
    [{ affordableTokens: 700 }, 700],
    [{}, undefined],
  ])("asks for the least of what is wanted and what can be paid for: %j", (bounds, limit) => {
    const request = toRequest("m", { system: "", tools: [], messages: [], ...bounds }, "max_tokens");
    expect(request.max_tokens).toBe(limit);
  });

  it("sends a picture as a data URI beside the text, and text alone as one string", () => {
    const image = { type: "image" as const, mimeType: "image/png" as const, base64: "iVBORw0KGgo=" };
    const { messages } = toRequest(
      "m",
      {
        system: "",
        tools: [],
        messages: [
          { role: "user", content: [image, part(""), part("What is this?")] },
          { role: "assistant", content: "A dot.", toolCalls: [] },
          { role: "user", content: [part("one"), part("two")] },
        ],
      },
      "max_tokens",
    );
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
          { type: "text", text: "What is this?" },
        ],
      },
      { role: "assistant", content: "A dot." },
      { role: "user", content: "one\n\ntwo" },
    ]);
  });

  it("marks, where asked, the system prompt and the ends of the last two user turns for the cache, and nothing otherwise", () => {
    const cached = { cache_control: { type: "ephemeral" } };
    const image = { type: "image" as const, mimeType: "image/png" as const, base64: "AAAA" };
    const request: ModelRequest = {
      system: "Be brief.",
      tools: [{ name: "run", description: "Runs", parameters: {} }],
      messages: [
        { role: "user", content: "one" },
        { role: "assistant", content: "1", toolCalls: [] },
        { role: "user", content: [{ type: "text", text: "two" }, image] },
        { role: "assistant", content: "", toolCalls: [call("{}"), { ...call("{}"), id: "c2" }] },
        { role: "tool", callId: "c1", name: "run", content: "done", isError: false },
        { role: "tool", callId: "c2", name: "run", content: "done too", isError: false },
      ],
    };
    const { messages } = toRequest("anthropic/claude-sonnet-5.5", request, "max_tokens", {
      cacheBreakpoints: true,
    });
    expect(messages[0]).toEqual({
      role: "system",
      content: [{ type: "text", text: "Be brief.", ...cached }],
    });
    expect(messages[1]).toEqual({ role: "user", content: "one" });
    expect(messages[3]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "two" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" }, ...cached },
      ],
    });
    expect(messages[5]).toEqual({ role: "tool", tool_call_id: "c1", content: "done" });
    expect(messages[6]).toEqual({ role: "tool", tool_call_id: "c2", content: "done too", ...cached });
    expect(JSON.stringify(messages).split("cache_control")).toHaveLength(4);
    expect(JSON.stringify(toRequest("gpt-5", request, "max_tokens"))).not.toContain("cache_control");
  });

  it.each([
    ["openrouter", "anthropic/claude-sonnet-5.5", true],
    ["openrouter", "openai/gpt-5", false],
    ["openai", "gpt-5", false],
    ["custom/mine", "claude-sonnet-5-5", false],
  ])("caches of %s with %s only what is marked: %s", (provider, model, expected) => {
    expect(needsBreakpoints(provider, model)).toBe(expected);
  });

  it("can be made to alternate, also where answers failed; people with names stay apart", () => {
    const picture = { type: "image" as const, mimeType: "image/png" as const, base64: "AAAA" };
    expect(
      alternated([
        user("one"),
        said(""),
        user("two"),
        said("a"),
        said("b"),
        { role: "user", content: [picture] },
        user("three"),
      ]),
    ).toEqual([
      { role: "user", content: "one\n\ntwo" },
      { role: "assistant", content: "a\n\nb" },
      { role: "user", content: [expect.objectContaining({ type: "image_url" }), part("three")] },
    ]);
    expect(alternated([user("one", "Ann"), user("two", "Bob")])).toHaveLength(2);
  });

  it("leaves out what is empty: prompt, tools, limit, turns without a word", () => {
    const messages = [{ role: "assistant" as const, content: "", toolCalls: [] }];
    expect(toRequest("m", { system: "", messages, tools: [] }, "max_tokens")).toEqual({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      messages: [],
    });
  });

  it.each([
    ["", "{}"],
    ['{"a', '{"invalid_arguments":"{\\"a"}'],
    ["[1]", '{"invalid_arguments":"[1]"}'],
  ])("sends the arguments %j back as the object %s", (written, sent) => {
    expect(after(written)).toMatchObject({ tool_calls: [{ function: { arguments: sent } }] });
  });
});
