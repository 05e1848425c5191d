import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";

/** Marks the end of a prefix for Anthropic's prompt cache; see src/models/anthropic-style. */
const breakpoint = { cache_control: { type: "ephemeral" } } as const;

/**
 * Whether a server caches only marked prefixes. OpenAI, DeepSeek, Google and others cache prefixes automatically;
 * Anthropic's models do not, and OpenRouter forwards the marks of this API to them. Sources:
 * https://platform.openai.com/docs/guides/prompt-caching, https://openrouter.ai/docs/features/prompt-caching
 */
export function needsBreakpoints(provider: string, model: string): boolean {
  return provider === "openrouter" && /(^~?anthropic\/|claude)/u.test(model);
}

/**
 * Returns the messages with three of the four allowed marks: the system prompt, which covers the tools before it, and
 * the ends of the last two user turns (a user's message, or the results of a turn's calls), as on Anthropic's own API.
 * Text carries its mark on its last part, a tool's result on the message, as OpenRouter's own SDK sends them:
 * https://github.com/OpenRouterTeam/ai-sdk-provider
 */
export function withBreakpoints(
  messages: readonly ChatCompletionMessageParam[],
): ChatCompletionMessageParam[] {
  const ends = messages.filter((message, position) => {
    const next = messages[position + 1];
    return isUsers(message) && !(next && isUsers(next));
  });
  const marked = new Set(ends.slice(-2));
  return messages.map((message, position) => {
    if (position === 0 && message.role === "system" && typeof message.content === "string") {
      return { ...message, content: [{ type: "text", text: message.content, ...breakpoint }] };
    }
    return marked.has(message) ? withMark(message) : message;
  });
}

function isUsers({ role }: ChatCompletionMessageParam): boolean {
  return role === "user" || role === "tool";
}

function withMark(message: ChatCompletionMessageParam): ChatCompletionMessageParam {
  if (message.role === "tool") return { ...message, ...breakpoint };
  if (message.role !== "user") return message;
  const parts =
    typeof message.content === "string"
      ? [{ type: "text" as const, text: message.content }]
      : message.content;
  return {
    ...message,
    content: parts.map((part, position) =>
      position === parts.length - 1 ? { ...part, ...breakpoint } : part,
    ),
  };
}
