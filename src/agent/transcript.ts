import type { StepData } from "#src/domain/tasks/index.ts";
import type { ModelMessage } from "#src/models/model.ts";

/** The conversation as the model reads it: earlier messages of the chat, the task's own, and its turns so far. */
export function transcript(input: {
  history: readonly { role: "user" | "assistant"; content: string }[];
  message: string;
  steps: readonly StepData[];
}): ModelMessage[] {
  const messages: ModelMessage[] = input.history
    .filter(({ content }) => content !== "") // a task that failed answered nothing
    .map(({ role, content }) => (role === "user" ? { role, content } : { role, content, toolCalls: [] }));
  messages.push({ role: "user", content: input.message });
  for (const step of input.steps) messages.push(...turnMessages(step));
  return messages;
}

function turnMessages({ response_text: content, tool_calls: calls }: StepData): ModelMessage[] {
  return [
    {
      role: "assistant",
      content,
      toolCalls: calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
    },
    ...calls.map((call): ModelMessage => ({
      role: "tool",
      callId: call.id,
      name: call.name,
      content: call.model_text,
      isError: !call.result.success,
    })),
  ];
}
