import { createAnthropicStyleModel } from "#src/models/anthropic-style/index.ts";
import { modelContract } from "#test/contracts/model.ts";

const frame = (event: string, data: object) =>
  `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`;

modelContract({
  name: "Anthropic style",
  connect: (origin) =>
    createAnthropicStyleModel({
      provider: "anthropic",
      model: "claude-sonnet-5-5",
      baseURL: origin,
      apiKey: "k",
      fetch,
    }),
  opening:
    frame("message_start", { message: { usage: { input_tokens: 3, output_tokens: 1 } } }) +
    frame("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
    frame("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hel" } }),
  garbage: "event: content_block_delta\ndata: <<<\n\n",
  overloaded: frame("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
});
