import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { ModelMessage, ModelPart, ModelRequest, ToolCall, UserContent } from "../model.ts";
import { storableJson } from "#src/lib/storable-text.ts";
import { argumentsObject, wireId } from "../tool-calls.ts";
import { wireName } from "../tool-names.ts";
import { withBreakpoints } from "./breakpoints.ts";
import { OPENAI_IDS, type IdRule } from "./id-rules.ts";
import { withReasoning } from "./kept-reasoning.ts";
import { toOptions, toToolOptions } from "./to-options.ts";

/**
 * OpenAI's newer models accept only `max_completion_tokens`, many compatible servers only `max_tokens`. Source:
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export type LimitField = "max_tokens" | "max_completion_tokens";

/**
 * Builds the body of a streaming chat completion. `cacheBreakpoints` is for servers that cache only marked prefixes;
 * `thinking` is the result of `toThinking`.
 */
export function toRequest(
  model: string,
  request: ModelRequest,
  limitField: LimitField,
  {
    cacheBreakpoints = false,
    thinking = {},
    ids = OPENAI_IDS,
  }: { cacheBreakpoints?: boolean; thinking?: object; ids?: IdRule } = {},
): ChatCompletionCreateParamsStreaming {
  const { system, tools, options = {} } = request;
  const limit = Math.min(request.maxOutputTokens ?? Infinity, request.affordableTokens ?? Infinity);
  const messages = [
    ...(system ? [{ role: "system" as const, content: system }] : []),
    ...request.messages.flatMap((message, position) => [
      ...toMessage(message, ids),
      ...picturesBefore(request.messages, position + 1),
    ]),
  ];
  // The API refuses texts that are not valid Unicode.
  return storableJson({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: cacheBreakpoints ? withBreakpoints(messages) : messages,
    // The API refuses an empty list. Parallel calls are the default.
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: "function" as const, function: tool })),
      ...toToolOptions(options),
    }),
    ...toOptions(options),
    ...thinking,
    ...(Number.isFinite(limit) && { [limitField]: limit }),
  });
}

function toMessage(message: ModelMessage, ids: IdRule): ChatCompletionMessageParam[] {
  if (message.role === "system") return [{ role: "system", content: message.content }];
  if (message.role === "user") {
    const { content, name } = message;
    return [{ role: "user", content: toUserContent(content), ...(name !== undefined && { name }) }];
  }
  if (message.role === "tool") {
    return [
      { role: "tool", tool_call_id: wireId(message.callId, ids.valid, ids.chars), content: message.content },
    ];
  }
  const { content, toolCalls } = message;
  if (toolCalls.length > 0) {
    const said = {
      role: "assistant" as const,
      content: content || null,
      tool_calls: toolCalls.map((call) => toCall(call, ids)),
    };
    return [withReasoning(said, message.kept?.content)];
  }
  // There is no representation of an empty turn that every server accepts.
  return content ? [{ role: "assistant", content }] : [];
}

/**
 * Returns the pictures that calls have shown as a user message after the last of their results: results contain only
 * text on this API. Source: https://platform.openai.com/docs/api-reference/chat/create
 */
function picturesBefore(messages: readonly ModelMessage[], end: number): ChatCompletionMessageParam[] {
  if (messages[end]?.role === "tool") return [];
  const first = messages.slice(0, end).findLastIndex(({ role }) => role !== "tool") + 1;
  const shown = messages
    .slice(first, end)
    .flatMap((message): ModelPart[] =>
      message.role === "tool" && message.image
        ? [{ type: "text", text: `[The picture of the call ${message.callId}:]` }, message.image]
        : [],
    );
  return shown.length > 0 ? [{ role: "user", content: toUserContent(shown) }] : [];
}

/** Servers without vision accept only a single string, so parts are sent only for a message with a picture. */
function toUserContent(content: UserContent): string | ChatCompletionContentPart[] {
  if (typeof content === "string") return content;
  const parts = content.filter((part) => part.type !== "text" || part.text !== "");
  if (parts.every((part) => part.type === "text")) return parts.map(({ text }) => text).join("\n\n");
  return parts.map((part) => (part.type === "text" ? part : { type: "image_url", image_url: toImage(part) }));
}

function toImage(part: Exclude<ModelPart, { type: "text" }>) {
  const url = part.type === "image_url" ? part.url : `data:${part.mimeType};base64,${part.base64}`;
  return { url, ...(part.detail !== undefined && { detail: part.detail }) };
}

function toCall({ id, name, arguments: text }: ToolCall, { valid, chars }: IdRule) {
  return {
    id: wireId(id, valid, chars),
    type: "function" as const,
    function: { name: wireName(name), arguments: JSON.stringify(argumentsObject(text)) },
  };
}
