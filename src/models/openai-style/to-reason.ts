import type { FinishReason } from "../model.ts";

/**
 * Reasons that mean that the server gave up. Sources: https://openrouter.ai/docs/api-reference/errors,
 * https://api-docs.deepseek.com/api/create-chat-completion, https://docs.z.ai/api-reference/llm/chat-completion
 */
const BROKEN = /^(error|abort|aborted|network_error|insufficient_system_resource)$|malformed_function_call/iu;

/** Whether a server says with the finish reason that it did not finish. */
export function isBroken(raw: string): boolean {
  return BROKEN.test(raw);
}

/** Converts a finish reason, also one that other vendors' APIs have and gateways pass on. */
export function toReason(raw: string): FinishReason {
  switch (raw.toLowerCase()) {
    case "stop":
    case "eos":
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "length":
    case "max_tokens":
    case "model_length":
      return "length";
    case "tool_calls":
    case "function_call":
    case "tool_use":
      return "tool_calls";
    case "content_filter":
    case "safety":
    case "sensitive":
      return "content_filter";
    default:
      return "other";
  }
}
