import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { storableJson, storableText } from "#src/lib/storable-text.ts";
import { JsonNesting } from "./json-nesting.ts";
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
    const given = storableText(sent ?? "").trim();
    // 37 characters: OpenAI accepts at most 40.
    const id = given !== "" && !taken.has(given) ? given : `call_${crypto.randomUUID().replaceAll("-", "")}`;
    taken.add(id);
    return id;
  };
}

/**
 * Returns an id as a provider accepts it: itself if it is `valid`, otherwise its hash with `chars` hexadecimal digits.
 * A conversation begun with another provider may contain any id, and two of them must not become one.
 */
export function wireId(id: string, valid: RegExp, chars = 32): string {
  return valid.test(id) ? id : bytesToHex(sha256(utf8ToBytes(id))).slice(0, chars);
}

/** Most levels of objects and lists in arguments. No tool needs more than three, and databases refuse thousands. */
export const MAX_NESTING = 100;

/** Whether arguments nest deeper than `MAX_NESTING` levels. */
export function isTooDeep(text: string): boolean {
  const nesting = new JsonNesting();
  nesting.push(text);
  return nesting.deepest > MAX_NESTING;
}

const Arguments = z.record(z.string(), z.unknown());

/** Parses arguments. Returns undefined unless they are a whole JSON object of at most `MAX_NESTING` levels. */
export function parsedArguments(text: string): Record<string, unknown> | undefined {
  return isTooDeep(text) ? undefined : safeParseJson(text, Arguments)?.value;
}

/**
 * Returns the arguments as an object for the history. Providers refuse a whole conversation because of one malformed
 * call, so any other text is wrapped in an object, where the model can still see it.
 */
export function argumentsObject(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  return storableJson(parsedArguments(text) ?? { invalid_arguments: text });
}

/**
 * Returns the calls of an ended answer. For a tool without parameters some models send an empty text or `null`. If the
 * length limit ended the answer, an empty text at its end is a call that was cut: it must not run without arguments.
 */
export function settleCalls(calls: readonly ToolCall[], reason: FinishReason): ToolCall[] {
  return calls.map((call, place) => {
    const text = call.arguments.trim();
    if (text !== "" && text !== "null") return call;
    const isCut = reason === "length" && place === calls.length - 1;
    return { ...call, arguments: isCut ? CUT : "{}" };
  });
}

/** The beginning of any arguments. */
const CUT = "{";

/** Corrects the finish reason: compatible servers end an answer that calls tools with `stop`, or send no reason. */
export function settleReason(reason: FinishReason, toolCalls: readonly ToolCall[]): FinishReason {
  return toolCalls.length > 0 && (reason === "stop" || reason === "other") ? "tool_calls" : reason;
}
