import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { FinishReason, ModelMessage, ToolCall } from "./model.ts";

/**
 * Assigns identifiers to tool calls. The provider's id is kept unless the conversation already contains it: some
 * compatible servers restart at 0 in every answer, and results would then reach the wrong call.
 */
export function callIds(messages: readonly ModelMessage[]): (sent: string | undefined) => string {
  const taken = new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? message.toolCalls.map((call) => call.id) : [],
    ),
  );
  return (sent) => {
    // 37 characters: OpenAI accepts at most 40.
    const id = sent && !taken.has(sent) ? sent : `call_${crypto.randomUUID().replaceAll("-", "")}`;
    taken.add(id);
    return id;
  };
}

const Arguments = z.record(z.string(), z.unknown());

/**
 * Returns the arguments as an object for the history. Providers refuse a whole conversation because of one malformed
 * call, so any other text is wrapped in an object, where the model can still see it.
 */
export function argumentsObject(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  return safeParseJson(text, Arguments)?.value ?? { invalid_arguments: text };
}

/** Whether the arguments are complete; used where nothing else distinguishes a finished answer from a cut one. */
export function isWhole(call: ToolCall): boolean {
  return safeParseJson(call.arguments, Arguments) !== undefined;
}

/** Corrects the finish reason: compatible servers end an answer that calls tools with `stop`, or send no reason. */
export function settleReason(reason: FinishReason, toolCalls: readonly ToolCall[]): FinishReason {
  return toolCalls.length > 0 && (reason === "stop" || reason === "other") ? "tool_calls" : reason;
}
