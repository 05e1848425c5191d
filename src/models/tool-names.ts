import { headOf } from "#src/lib/head-of.ts";
import type { ToolDefinition } from "./model.ts";

/** Names that every provider accepts. Source: https://platform.openai.com/docs/api-reference/chat/create */
const VALID = /^[\w-]{1,64}$/u;

/**
 * A valid name with what models write around it: the namespace of the harmony format or of Gemini's prompt before it,
 * a call's number and the next channel of the conversation after it. Sources:
 * https://github.com/vllm-project/vllm/issues/32587, https://huggingface.co/moonshotai/Kimi-K2-Instruct
 */
const DECORATED = /^\s*(?:(?:functions|default_api)[.:])?([\w-]{1,64}?)(?::\d+)?\s*(?:<\|.*)?$/su;

/** Longest name that is kept of a call without a tool. */
const SHOWN_CHARS = 200;

/** Returns the name of the tool that a call means: without decoration unless a tool has exactly the name as sent. */
export function intendedName(sent: string, tools: readonly Pick<ToolDefinition, "name">[]): string {
  if (tools.some(({ name }) => name === sent)) return sent;
  return DECORATED.exec(sent)?.[1] ?? headOf(sent, SHOWN_CHARS);
}

/** Returns a name as it can be sent: providers refuse a whole conversation because of one invalid name. */
export function wireName(name: string): string {
  if (VALID.test(name)) return name;
  return name.replaceAll(/[^\w-]+/gu, "_").slice(0, 64) || "unnamed";
}
