import { AppError } from "#src/lib/errors.ts";
import type { FinishReason, ModelEvent, ModelUsage, ToolCall } from "#src/models/model.ts";

/** Fields that all chunks of an answer share. */
export interface Heading {
  id: string;
  /** Seconds since 1970. */
  created: number;
  /** The requested model id. */
  model: string;
}

/**
 * The whole answer in the format of OpenAI's API. Source: https://platform.openai.com/docs/api-reference/chat/object
 */
export async function toCompletion(heading: Heading, events: AsyncIterable<ModelEvent>) {
  for await (const event of events) {
    if (event.type !== "finished") continue;
    const { text, toolCalls, finishReason, usage } = event;
    const message = {
      role: "assistant" as const,
      content: text === "" && toolCalls.length > 0 ? null : text,
      refusal: null,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toToolCall) }),
    };
    return {
      ...heading,
      object: "chat.completion" as const,
      choices: [{ index: 0, message, logprobs: null, finish_reason: toReason(finishReason) }],
      usage: toUsage(usage),
    };
  }
  throw new AppError("provider_failed", "The model returned no answer");
}

/**
 * The answer as chunks of a stream: text as it arrives, tool calls at the end, each in one piece. If an attempt
 * restarts after something was sent, the stream fails, because sent text cannot be withdrawn. Source:
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export async function* toChunks(
  heading: Heading,
  events: AsyncIterable<ModelEvent>,
  { withUsage }: { withUsage: boolean },
) {
  const head = { ...heading, object: "chat.completion.chunk" as const };
  // If usage is requested, every chunk has the field, and an additional one contains it.
  const noUsage = withUsage && { usage: null };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...noUsage,
  });
  yield chunk({ role: "assistant", content: "" });
  for await (const event of events) {
    if (event.type === "text_delta") yield chunk({ content: event.text });
    if (event.type === "restarted") throw new AppError("provider_failed", event.reason);
    if (event.type !== "finished") continue;
    const { toolCalls, finishReason, usage } = event;
    for (const [index, call] of toolCalls.entries())
      yield chunk({ tool_calls: [{ index, ...toToolCall(call) }] });
    yield chunk({}, toReason(finishReason));
    if (withUsage) yield { ...head, choices: [], usage: toUsage(usage) };
  }
}

function toToolCall({ id, name, arguments: text }: ToolCall) {
  return { id, type: "function" as const, function: { name, arguments: text } };
}

/** OpenAI's format has no value for other reasons. */
function toReason(reason: FinishReason): Exclude<FinishReason, "other"> {
  return reason === "other" ? "stop" : reason;
}

function toUsage({ inputTokens, outputTokens, cachedInputTokens }: ModelUsage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
  };
}
