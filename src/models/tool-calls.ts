import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { FinishReason, ModelMessage, ToolCall } from "./model.ts";

/**
 * Gives tool calls their identifiers. A sent one is kept unless the conversation already has it: some compatible servers
 * count from 0 again in every answer, and results would then reach the wrong call.
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
 * Arguments as the object that is sent back with the history. Providers refuse a whole conversation over one malformed
 * call, so text that is no JSON object travels inside one, where the model can still see what it wrote.
 */
export function argumentsObject(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  return safeParseJson(text, Arguments)?.value ?? { invalid_arguments: text };
}

/** Whether the arguments are whole; used where nothing else tells a finished answer from a cut one. */
export function isWhole(call: ToolCall): boolean {
  return safeParseJson(call.arguments, Arguments) !== undefined;
}

/** Compatible servers end an answer that calls tools with `stop`, or say nothing. */
export function settleReason(reason: FinishReason, toolCalls: readonly ToolCall[]): FinishReason {
  return toolCalls.length > 0 && (reason === "stop" || reason === "other") ? "tool_calls" : reason;
}
