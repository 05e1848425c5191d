import type { ChatEvent, TaskEvent } from "@agent-workspace/client";

/** An event of a chat as the task's own stream has it. Sockets have another word for the same event. */
export function taskEventOf({ event, eventId }: ChatEvent): TaskEvent {
  const type = event.type === "tool_call" ? "tool_result" : event.type;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's word for what it sends; new types are passed on
  return { ...event, type, id: eventId } as TaskEvent;
}
