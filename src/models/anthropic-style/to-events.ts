import { AnswerBound } from "../answer-bound.ts";
import { keepCounts } from "../keep-counts.ts";
import type { KeptPart } from "../kept-part.ts";
import type { FinishReason, ModelEvent, ModelUsage, ToolCall, ToolDefinition } from "../model.ts";
import { badResponse, type AnswerOrigin } from "../provider-failure.ts";
import { ThinkTags, type Parted } from "../think-tags.ts";
import { settleCalls, settleReason } from "../tool-calls.ts";
import { intendedName } from "../tool-names.ts";
import { hasThinking, type AnswerOrder } from "./answer-order.ts";
import type { StreamEvent, Usage } from "./wire.ts";

/** A block of the answer that has begun. */
interface Block {
  /** Its place in the answer's order; undefined for a kind that is not returned. */
  place: AnswerOrder[number] | undefined;
  call: PartialCall | undefined;
}

interface PartialCall {
  id: string | undefined;
  name: string;
  /** Input at the block's start: empty at Anthropic, the whole input at some compatible servers. */
  input?: unknown;
  json: string;
}

export interface Folding {
  origin: AnswerOrigin;
  /** Offered tools, by which the names of calls are recognised. */
  tools: readonly Pick<ToolDefinition, "name">[];
  toId: (sent: string | undefined) => string;
  /** Makes the part of an answer with thinking that is returned to the provider. */
  keep: (content: AnswerOrder) => KeptPart;
}

/**
 * Converts stream events into model events: text as it arrives, everything else once, at `message_stop`. A stream that
 * ends without it was cut off and throws a retryable `bad_response`; one that is too long throws as `AnswerBound` does.
 */
export async function* toEvents(
  events: AsyncIterable<StreamEvent>,
  { origin, tools, toId, keep }: Folding,
): AsyncGenerator<ModelEvent> {
  const bound = new AnswerBound(origin);
  const tags = new ThinkTags();
  /** In the order in which they began; some servers give all of them one index. */
  const blocks: Block[] = [];
  const current = new Map<number, Block>();
  let usage: NonNullable<Usage> = {};
  let text = "";
  let thought = "";
  let reason: FinishReason = "other";

  const show = function* (
    { text: piece, thought: hidden }: Parted,
    block: Block | undefined,
  ): Generator<ModelEvent> {
    thought += hidden;
    if (hidden !== "") yield { type: "hidden_delta", text: hidden };
    if (piece === "") return;
    text += piece;
    if (block?.place?.type === "text") block.place.chars += piece.length;
    yield { type: "text_delta", text: piece };
  };

  for await (const event of events) {
    switch (event.type) {
      case "message_start":
        usage = keepCounts(usage, event.message.usage);
        break;
      case "content_block_start": {
        const { index, content_block: start } = event;
        bound.take(JSON.stringify(start));
        if (start.type === "tool_use") bound.takeCall();
        const block = blockOf(start);
        blocks.push(block);
        current.set(index, block);
        if (start.type === "thinking") thought += (thought && "\n\n") + start.thinking;
        if (start.type === "text") yield* show(tags.push(start.text), block);
        break;
      }
      case "content_block_delta": {
        const { index, delta } = event;
        const block = current.get(index);
        const piece = charactersOf(delta);
        bound.take(piece);
        if (delta.type === "text_delta") yield* show(tags.push(delta.text), block);
        else if (piece !== "") yield { type: "hidden_delta", text: piece };
        if (delta.type === "thinking_delta") thought += delta.thinking;
        if (block?.call && delta.type === "input_json_delta") block.call.json += delta.partial_json;
        grow(block?.place, delta);
        break;
      }
      case "message_delta": {
        const { stop_reason: raw } = event.delta;
        if (raw === "error") throw badResponse(origin, "ended the answer with the reason error");
        if (raw) reason = toReason(raw);
        usage = keepCounts(usage, event.usage);
        break;
      }
      case "message_stop": {
        yield* show(
          tags.end(),
          blocks.findLast(({ place }) => place?.type === "text"),
        );
        const calls = blocks.flatMap(({ call }) => (call ? [toCall(call, tools, toId)] : []));
        const toolCalls = settleCalls(calls, reason);
        const order = blocks.flatMap(({ place }) => place ?? []);
        yield {
          type: "finished",
          text,
          toolCalls,
          ...(thought.trim() !== "" && { thought }),
          ...(hasThinking(order) && { kept: keep(order) }),
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

function blockOf(start: BlockStart): Block {
  switch (start.type) {
    case "text":
      return { place: { type: "text", chars: 0 }, call: undefined };
    case "tool_use": {
      const { id, name, input } = start;
      return {
        place: { type: "tool_use" },
        call: { id: id ?? undefined, name: name ?? "", input, json: "" },
      };
    }
    case "unknown":
      return { place: undefined, call: undefined };
    case "thinking":
    case "redacted_thinking":
      break;
  }
  return { place: { ...start }, call: undefined };
}

function toCall(
  { id, name, input, json }: PartialCall,
  tools: Folding["tools"],
  toId: Folding["toId"],
): ToolCall {
  const isEmpty =
    input === undefined || input === null || (isObject(input) && Object.keys(input).length === 0);
  const whole = typeof input === "string" ? input : JSON.stringify(input);
  return { id: toId(id), name: intendedName(name, tools), arguments: json || (isEmpty ? "" : whole) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
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
  if (piece?.type !== "thinking") return;
  if (delta.type === "thinking_delta") piece.thinking += delta.thinking;
  if (delta.type === "signature_delta") piece.signature += delta.signature;
}

/** Anthropic counts cached tokens separately from `input_tokens`; ours is the total. */
function toUsage(usage: NonNullable<Usage>): ModelUsage {
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
