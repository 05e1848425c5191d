import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { ModelMessage, ModelRequest, ToolCall } from "../model.ts";
import { argumentsObject } from "../tool-calls.ts";

/**
 * OpenAI's newer models know only `max_completion_tokens`, many compatible servers only `max_tokens`.
 * Source: https://platform.openai.com/docs/api-reference/chat/create
 */
export type LimitField = "max_tokens" | "max_completion_tokens";

/** The body of a streaming chat completion. */
export function toRequest(
  model: string,
  request: ModelRequest,
  limitField: LimitField,
): ChatCompletionCreateParamsStreaming {
  const { system, messages, tools, maxOutputTokens } = request;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system ? [{ role: "system" as const, content: system }] : []),
      ...messages.flatMap(toMessage),
    ],
    // An empty list is refused. Calls in parallel are what servers do unless told otherwise.
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function" as const, function: tool })) }),
    ...(maxOutputTokens !== undefined && { [limitField]: maxOutputTokens }),
  };
}

function toMessage(message: ModelMessage): ChatCompletionMessageParam[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool") {
    return [{ role: "tool", tool_call_id: message.callId, content: message.content }];
  }
  const { content, toolCalls } = message;
  if (toolCalls.length > 0) {
    return [{ role: "assistant", content: content || null, tool_calls: toolCalls.map(toCall) }];
  }
  // A turn in which nothing was said has no form that every server accepts.
  return content ? [{ role: "assistant", content }] : [];
}

function toCall({ id, name, arguments: text }: ToolCall) {
  return {
    id,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(argumentsObject(text)) },
  };
}
