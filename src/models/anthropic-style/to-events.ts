import { AnswerBound } from "../answer-bound.ts";
import type { KeptPart } from "../kept-part.ts";
import type { FinishReason, ModelEvent, ModelUsage } from "../model.ts";
import { badResponse, type Origin } from "../provider-failure.ts";
import { settleReason } from "../tool-calls.ts";
import { hasThinking, thoughtOf, type AnswerOrder } from "./answer-order.ts";
import type { StreamEvent, Usage } from "./wire.ts";

interface PartialCall {
  id: string;
  name: string;
  /** Input at the block's start: empty at Anthropic, the whole input at some compatible servers. */
  input?: unknown;
  json: string;
}

/**
 * Converts stream events into model events: text as it arrives, everything else once, at `message_stop`. A stream that
 * ends without it was cut off and throws a retryable `bad_response`; one that is too long throws as `AnswerBound` does.
 * `keep` makes the part of an answer with thinking that is returned to the provider.
 */
export async function* toEvents(
  events: AsyncIterable<StreamEvent>,
  {
    origin,
    toId,
    keep,
  }: { origin: Origin; toId: (sent: string | undefined) => string; keep: (content: AnswerOrder) => KeptPart },
): AsyncGenerator<ModelEvent> {
  const bound = new AnswerBound(origin);
  const calls = new Map<number, PartialCall>();
  const order = new Map<number, AnswerOrder[number]>();
  const usage: Usage = {};
  let text = "";
  let reason: FinishReason = "other";

  for await (const event of events) {
    switch (event.type) {
      case "message_start":
        countTokens(usage, event.message.usage);
        break;
      case "content_block_start": {
        const { index, content_block: block } = event;
        bound.take(JSON.stringify(block));
        if (block.type === "tool_use") {
          bound.takeCall();
          calls.set(index, { ...block, json: "" });
        }
        const place = placeOf(block);
        if (place) order.set(index, place);
        break;
      }
      case "content_block_delta": {
        const { index, delta } = event;
        bound.take(charactersOf(delta));
        if (delta.type === "text_delta" && delta.text !== "") {
          text += delta.text;
          yield { type: "text_delta", text: delta.text };
        }
        const call = calls.get(index);
        if (call && delta.type === "input_json_delta") call.json += delta.partial_json;
        grow(order.get(index), delta);
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
          ...toThought([...order.values()], keep),
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

type BlockStart = Extract<StreamEvent, { type: "content_block_start" }>["content_block"];
type Delta = Extract<StreamEvent, { type: "content_block_delta" }>["delta"];

function placeOf(block: BlockStart): AnswerOrder[number] | undefined {
  if (block.type === "text") return { type: "text", chars: 0 };
  if (block.type === "tool_use") return { type: "tool_use" };
  return block.type === "unknown" ? undefined : { ...block };
}

function charactersOf(delta: Delta): string {
  switch (delta.type) {
    case "text_delta":
      return delta.text;
    case "input_json_delta":
      return delta.partial_json;
    case "thinking_delta":
      return delta.thinking;
    case "signature_delta":
      return delta.signature;
    case "unknown":
      break;
  }
  return "";
}

function grow(piece: AnswerOrder[number] | undefined, delta: Delta): void {
  if (piece?.type === "text" && delta.type === "text_delta") piece.chars += delta.text.length;
  if (piece?.type !== "thinking") return;
  if (delta.type === "thinking_delta") piece.thinking += delta.thinking;
  if (delta.type === "signature_delta") piece.signature += delta.signature;
}

function toThought(order: AnswerOrder, keep: (content: AnswerOrder) => KeptPart) {
  if (!hasThinking(order)) return {};
  const thought = thoughtOf(order);
  return { ...(thought !== "" && { thought }), kept: keep(order) };
}

/** Later events repeat the counts as running totals, or omit unchanged ones. */
function countTokens(usage: Usage, sent: Usage | null | undefined): void {
  usage.input_tokens = sent?.input_tokens ?? usage.input_tokens;
  usage.output_tokens = sent?.output_tokens ?? usage.output_tokens;
  usage.cache_read_input_tokens = sent?.cache_read_input_tokens ?? usage.cache_read_input_tokens;
  usage.cache_creation_input_tokens = sent?.cache_creation_input_tokens ?? usage.cache_creation_input_tokens;
}

/** Anthropic counts cached tokens separately from `input_tokens`; ours is the total. */
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
