import { AnswerBound } from "../answer-bound.ts";
import { keepCounts } from "../keep-counts.ts";
import type { KeptPart } from "../kept-part.ts";
import { NO_USAGE, type FinishReason, type ModelEvent, type ToolDefinition } from "../model.ts";
import { badResponse, type AnswerOrigin } from "../provider-failure.ts";
import { ThinkTags } from "../think-tags.ts";
import { settleCalls, settleReason } from "../tool-calls.ts";
import { ToolCallAssembly } from "./assemble-tool-calls.ts";
import { contentPieces } from "./content-pieces.ts";
import { Reasoning } from "./kept-reasoning.ts";
import { isBroken, toReason } from "./to-reason.ts";
import { toUsage } from "./to-usage.ts";
import type { Chunk, Delta } from "./wire.ts";

export interface Folding {
  origin: AnswerOrigin;
  /** Offered tools, by which the names of calls are recognised. */
  tools: readonly Pick<ToolDefinition, "name">[];
  toId: (sent: string | undefined) => string;
  /** Makes the part of an answer that is returned to the provider. */
  keep: (content: unknown) => KeptPart;
  /** Whether the server has marked the end of the stream; asked once the stream has ended. */
  isDone: () => boolean;
}

/**
 * Converts chunks into events: text as it arrives, everything else once, at the end. A stream has ended if it has a
 * finish reason or, because some servers never send one, the end mark `[DONE]`. Any other was cut off, and one with the
 * reason `error` broke off: both throw a retryable `bad_response`. One that is too long throws as `AnswerBound` does.
 */
export async function* toEvents(
  chunks: AsyncIterable<Chunk>,
  { origin, tools, toId, keep, isDone }: Folding,
): AsyncGenerator<ModelEvent> {
  const bound = new AnswerBound(origin);
  const assembly = new ToolCallAssembly(bound, tools);
  const reasoning = new Reasoning(bound);
  const tags = new ThinkTags();
  let text = "";
  let reason: FinishReason | undefined;
  let isRefused = false;
  let usage = NO_USAGE;
  let first: number | undefined;

  for await (const chunk of chunks) {
    usage = keepCounts(usage, toUsage(chunk.usage));
    // We ask for one choice, but a gateway may send several: the first counts.
    const choice = chunk.choices?.find(({ index }) => first === undefined || (index ?? first) === first);
    if (!choice) continue;
    first ??= choice.index ?? 0;
    const { delta, finish_reason: raw } = choice;
    if (delta) {
      const { text: written, thought } = contentPieces(delta);
      bound.take(written, thought);
      reasoning.add(delta);
      const parted = tags.push(written);
      reasoning.addText(thought + parted.thought);
      const parts = callParts(delta);
      for (const part of parts) assembly.add(part);
      isRefused ||= Boolean(delta.refusal);
      if (parted.text !== "") yield { type: "text_delta", text: parted.text };
      text += parted.text;
      const hidden = [thought, parted.thought, reasoningOf(delta), ...parts.map(argumentsOf)].join("");
      if (hidden !== "") yield { type: "hidden_delta", text: hidden };
    }
    if (raw && isBroken(raw))
      throw badResponse(origin, `ended the answer with the reason ${raw.slice(0, 40)}`);
    if (raw) reason = toReason(raw);
  }
  if (reason === undefined && !isDone()) {
    throw badResponse(origin, "ended the stream before the answer was complete");
  }
  const rest = tags.end();
  reasoning.addText(rest.thought);
  if (rest.text !== "") yield { type: "text_delta", text: rest.text };
  text += rest.text;

  const toolCalls = settleCalls(assembly.finish(toId), reason ?? "other");
  const kept = toolCalls.length > 0 ? reasoning.kept(assembly.extras) : undefined;
  yield {
    type: "finished",
    text,
    toolCalls,
    ...(reasoning.text.trim() !== "" && { thought: reasoning.text }),
    ...(kept && { kept: keep(kept) }),
    finishReason: isRefused ? "content_filter" : settleReason(reason ?? "other", toolCalls),
    usage,
  };
}

function callParts({ tool_calls: calls, function_call: legacy }: NonNullable<Delta>) {
  if (calls && calls.length > 0) return calls;
  return legacy ? [{ function: legacy }] : [];
}

function argumentsOf(part: ReturnType<typeof callParts>[number]): string {
  return part.function?.arguments ?? "";
}

/** Some servers send the same text under both names. */
function reasoningOf({ reasoning, reasoning_content: content }: NonNullable<Delta>): string {
  return content ?? reasoning ?? "";
}
