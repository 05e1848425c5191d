import type { ModelMessage, ModelRequest, ModelUsage, ToolCall, UserContent } from "./model.ts";

/**
 * About four characters of English or code per token; in other scripts, with 2 to 4 bytes per character, one or two
 * characters.
 */
const BYTES_PER_TOKEN = 4;

/**
 * Tokens of a picture, whatever its size: slightly above Claude's maximum for one (4,784). The length of its base64
 * says nothing about its tokens. Source: https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const IMAGE_TOKENS = 4_800;

/** Tokens of a message or a call besides its text: role, separators, ids. */
const FRAME_TOKENS = 8;

/** Estimates the tokens of a request. No provider's tokenizer is used, so the estimate may be off by half. */
export function estimateTokens({
  system,
  tools,
  messages,
}: Pick<ModelRequest, "system" | "tools" | "messages">): number {
  const listed = tools.length > 0 ? estimateText(JSON.stringify(tools)) : 0;
  return estimateText(system) + listed + estimateMessages(messages);
}

export function estimateMessages(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

function estimateMessage(message: ModelMessage): number {
  if (message.role === "user") return FRAME_TOKENS + estimateContent(message.content);
  if (message.role === "system") return FRAME_TOKENS + estimateText(message.content);
  if (message.role === "tool") {
    return FRAME_TOKENS + estimateText(message.content) + (message.image ? IMAGE_TOKENS : 0);
  }
  const calls = message.toolCalls.map(
    (call) => FRAME_TOKENS + estimateText(call.name) + estimateText(call.arguments),
  );
  const kept = message.kept ? estimateText(JSON.stringify(message.kept.content)) : 0;
  return calls.reduce((sum, each) => sum + each, FRAME_TOKENS + kept + estimateText(message.content));
}

function estimateContent(content: UserContent): number {
  if (typeof content === "string") return estimateText(content);
  return content.reduce(
    (sum, part) => sum + (part.type === "text" ? estimateText(part.text) : IMAGE_TOKENS),
    0,
  );
}

export function estimateText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The answer to a request, complete or not. */
export interface Said {
  text: string;
  toolCalls?: readonly ToolCall[];
  thought?: string;
}

/** Estimates the usage of a call whose provider does not report it. */
export function estimateUsage(request: ModelRequest, said: Said): ModelUsage {
  return {
    inputTokens: estimateTokens(request),
    outputTokens: estimateAnswer(said),
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
  };
}

/** Estimates the tokens of an answer. */
export function estimateAnswer({ text, toolCalls = [], thought = "" }: Said): number {
  const calls = toolCalls.map((call) => estimateText(call.name) + estimateText(call.arguments));
  return calls.reduce((sum, each) => sum + each, estimateText(text) + estimateText(thought));
}
