import { describe, expect, it } from "vitest";
import { createOpenAiStyleModel } from "#src/models/openai-style/index.ts";
import type { ModelRequest } from "#src/models/model.ts";

const request: ModelRequest = { system: "", messages: [{ role: "user", content: "hi" }], tools: [] };

function answering(body: string) {
  const model = createOpenAiStyleModel({
    provider: "own",
    model: "m",
    baseURL: "https://models.test/v1",
    apiKey: "the-key",
    fetch: async () => new Response(body, { headers: { "content-type": "application/json; charset=utf-8" } }),
  });
  return { events: () => Array.fromAsync(model.stream(request, new AbortController().signal)) };
}

describe("a server that does not stream", () => {
  it("has its whole answer taken as one chunk", async () => {
    const { events } = answering(
      JSON.stringify({
        choices: [{ message: { role: "assistant", content: "Hi!" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 5, completion_tokens: 2 },
      }),
    );
    expect(await events()).toEqual([
      { type: "text_delta", text: "Hi!" },
      {
        type: "finished",
        text: "Hi!",
        toolCalls: [],
        finishReason: "stop",
        usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0 },
      },
    ]);
  });

  it.each([
    [JSON.stringify({ error: { message: "busy", code: 503 } }), "overloaded"],
    ["{malformed", "bad_response"],
  ])("fails on %s", async (body, code) => {
    await expect(answering(body).events()).rejects.toMatchObject({ code, retryable: true });
  });
});
