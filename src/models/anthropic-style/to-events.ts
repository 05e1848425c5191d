import type { FinishReason, ModelEvent, ModelUsage } from "../model.ts";
import { badResponse, type Origin } from "../provider-failure.ts";
import { settleReason } from "../tool-calls.ts";
import type { StreamEvent, Usage } from "./wire.ts";

interface PartialCall {
  id: string;
  name: string;
  /** What the block began with: empty at Anthropic, the whole input at some compatible servers. */
  input?: unknown;
  json: string;
}

/**
 * Fold stream events into model events: text as it comes, everything else once, at `message_stop`. A stream that ends
 * without one was cut off and throws a retryable `bad_response`.
 */
export async function* toEvents(
  events: AsyncIterable<StreamEvent>,
  { origin, toId }: { origin: Origin; toId: (sent: string | undefined) => string },
): AsyncGenerator<ModelEvent> {
  const calls = new Map<number, PartialCall>();
  const usage: Usage = {};
  let text = "";
  let reason: FinishReason = "other";

  for await (const event of events) {
    switch (event.type) {
      case "message_start":
        countTokens(usage, event.message.usage);
        break;
      case "content_block_start":
        if (event.content_block.type === "tool_use")
          calls.set(event.index, { ...event.content_block, json: "" });
        break;
      case "content_block_delta": {
        if (event.delta.type === "text_delta" && event.delta.text !== "") {
          text += event.delta.text;
          yield { type: "text_delta", text: event.delta.text };
        }
        const call = calls.get(event.index);
        if (call && event.delta.type === "input_json_delta") call.json += event.delta.partial_json;
        break;
      }
      case "message_delta":
        if (event.delta.stop_reason) reason = toReason(event.delta.stop_reason);
        countTokens(usage, event.usage);
        break;
      case "message_stop": {
        const toolCalls = [...calls.values()].map((call) => ({
          id: toId(call.id),
          name: call.name,
          arguments: call.json || JSON.stringify(call.input ?? {}),
        }));
        yield {
          type: "finished",
          text,
          toolCalls,
          finishReason: settleReason(reason, toolCalls),
          usage: toUsage(usage),
        };
        return;
      }
      case "unknown":
        break;
    }
  }
  throw badResponse(origin, "ended the stream before the answer was complete");
}

/** Later events repeat the counts as running totals, or leave out the ones that stay. */
function countTokens(usage: Usage, sent: Usage | null | undefined): void {
  usage.input_tokens = sent?.input_tokens ?? usage.input_tokens;
  usage.output_tokens = sent?.output_tokens ?? usage.output_tokens;
  usage.cache_read_input_tokens = sent?.cache_read_input_tokens ?? usage.cache_read_input_tokens;
  usage.cache_creation_input_tokens = sent?.cache_creation_input_tokens ?? usage.cache_creation_input_tokens;
}

/** Anthropic counts cached tokens apart from `input_tokens`; ours is the total. */
function toUsage(usage: Usage): ModelUsage {
  const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    inputTokens: (usage.input_tokens ?? 0) + cachedInputTokens + cacheWriteTokens,
    outputTokens: usage.output_tokens ?? 0,
    cachedInputTokens,
    cacheWriteTokens,
  };
}

/** Source: https://docs.anthropic.com/en/api/handling-stop-reasons */
function toReason(raw: string): FinishReason {
  switch (raw) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "tool_use":
      return "tool_calls";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "content_filter";
    default:
      return "other";
  }
}
