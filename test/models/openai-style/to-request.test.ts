import { describe, expect, it } from "vitest";
import { toRequest } from "#src/models/openai-style/to-request.ts";

const call = (text: string) => ({ id: "c1", name: "run", arguments: text });
const after = (text: string) =>
  toRequest(
    "m",
    { system: "", tools: [], messages: [{ role: "assistant", content: "", toolCalls: [call(text)] }] },
    "max_tokens",
  ).messages[0];

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
