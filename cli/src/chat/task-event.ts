import type { ChatEvent, TaskEvent } from "@agent-workspace/client";

/** An event of a chat as the task's own stream has it. Sockets have another word for the same event. */
export function taskEventOf({ event, eventId }: ChatEvent): TaskEvent {
  const type = event.type === "tool_call" ? "tool_result" : event.type;
  const taskEvent: TaskEvent = Object({ ...event, type, id: eventId });
  return taskEvent;
}
