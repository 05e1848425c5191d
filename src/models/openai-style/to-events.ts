import { AnswerBound } from "../answer-bound.ts";
import type { KeptPart } from "../kept-part.ts";
import type { FinishReason, ModelEvent, ModelUsage } from "../model.ts";
import { badResponse, type Origin } from "../provider-failure.ts";
import { isWhole, settleReason } from "../tool-calls.ts";
import { ToolCallAssembly } from "./assemble-tool-calls.ts";
import { Reasoning } from "./kept-reasoning.ts";
import type { Chunk, Usage } from "./wire.ts";

/**
 * Converts chunks into events: text as it arrives, everything else once, at the end. A stream without a finish reason
 * is accepted (`other`), because some servers never send one; but an empty stream, or one that ends inside a tool
 * call's arguments, was cut off and throws a retryable `bad_response`; one that is too long throws as `AnswerBound`
 * does. `keep` makes the part of an answer that is returned to the provider.
 */
export async function* toEvents(
  chunks: AsyncIterable<Chunk>,
  {
    origin,
    toId,
    keep,
  }: { origin: Origin; toId: (sent: string | undefined) => string; keep: (content: unknown) => KeptPart },
): AsyncGenerator<ModelEvent> {
  const bound = new AnswerBound(origin);
  const assembly = new ToolCallAssembly(bound);
  const reasoning = new Reasoning(bound);
  let text = "";
  let reason: FinishReason | undefined;
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 };

  for await (const chunk of chunks) {
    // Sent once at the end, or with every chunk as a running total: the last one is right in both cases.
    if (chunk.usage) usage = toUsage(chunk.usage);
    const choice = chunk.choices?.[0];
    if (choice?.delta?.content) {
      bound.take(choice.delta.content);
      text += choice.delta.content;
      yield { type: "text_delta", text: choice.delta.content };
    }
    if (choice?.delta) reasoning.add(choice.delta);
    for (const part of choice?.delta?.tool_calls ?? []) assembly.add(part);
    if (choice?.finish_reason) reason = toReason(choice.finish_reason);
  }

  const toolCalls = assembly.finish(toId);
  if (reason === undefined && ((text === "" && toolCalls.length === 0) || !toolCalls.every(isWhole))) {
    throw badResponse(origin, "ended the stream before the answer was complete");
  }
  const kept = toolCalls.length > 0 ? reasoning.kept(assembly.extras) : undefined;
  yield {
    type: "finished",
    text,
    toolCalls,
    ...(reasoning.text !== "" && { thought: reasoning.text }),
    ...(kept && { kept: keep(kept) }),
    finishReason: settleReason(reason ?? "other", toolCalls),
    usage,
  };
}

function toUsage({ prompt_tokens, completion_tokens, prompt_tokens_details: details }: Usage): ModelUsage {
  return {
    inputTokens: prompt_tokens ?? 0,
    outputTokens: completion_tokens ?? 0,
    cachedInputTokens: details?.cached_tokens ?? 0,
    cacheWriteTokens: details?.cache_write_tokens ?? 0,
  };
}

function toReason(raw: string): FinishReason {
  switch (raw) {
    case "stop":
    case "length":
    case "tool_calls":
    case "content_filter":
      return raw;
    case "function_call":
      return "tool_calls";
    default:
      return "other";
  }
}
