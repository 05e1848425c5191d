import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";

/**
 * Joins neighbouring messages of one role, such as those around an answer that failed: the chat templates of many models
 * on compatible servers refuse a conversation that does not alternate. Messages of named people stay apart.
 */
export function alternating(messages: readonly ChatCompletionMessageParam[]): ChatCompletionMessageParam[] {
  const turns: ChatCompletionMessageParam[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const both = last && joined(last, message);
    if (both) turns[turns.length - 1] = both;
    else turns.push(message);
  }
  return turns;
}

function joined(
  first: ChatCompletionMessageParam,
  second: ChatCompletionMessageParam,
): ChatCompletionMessageParam | undefined {
  if (first.role === "user" && second.role === "user" && !first.name && !second.name) {
    if (typeof first.content === "string" && typeof second.content === "string") {
      return { role: "user", content: `${first.content}\n\n${second.content}` };
    }
    return { role: "user", content: [...partsOf(first.content), ...partsOf(second.content)] };
  }
  const isSaid = first.role === "assistant" && second.role === "assistant";
  if (!isSaid || first.tool_calls || second.tool_calls) return undefined;
  if (typeof first.content !== "string" || typeof second.content !== "string") return undefined;
  return { role: "assistant", content: `${first.content}\n\n${second.content}` };
}

function partsOf(content: string | ChatCompletionContentPart[]): ChatCompletionContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
