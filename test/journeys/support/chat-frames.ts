import { vi } from "vitest";
import { fieldsOf } from "#test/support/fields.ts";
import type { TestSocket } from "#test/support/socket.ts";

/** The events of a task that a socket was sent, bare or as `agent_event`, in the form of the log. */
export function shown({ frames }: TestSocket, taskId: string) {
  return frames
    .filter((frame) => frame["task_id"] === taskId && typeof frame["event_id"] === "number")
    .map((frame) => {
      const payload = frame.type === "agent_event" ? fieldsOf(frame["payload"]) : frame;
      return { id: frame["event_id"], type: payload["type"], content: payload["content"] };
    });
}

/** Waits for the end of a task on a socket. */
export const ended = (socket: TestSocket, taskId: string) =>
  vi.waitFor(
    () => {
      if (!shown(socket, taskId).some(({ type }) => type === "done")) {
        throw new Error(`No end, but ${JSON.stringify(socket.frames.slice(-3))}`);
      }
    },
    { interval: 20 },
  );

/** The task of a message that a socket sent, once it is accepted. */
export async function accepted(socket: TestSocket): Promise<string> {
  const { task_id } = await socket.next("message_accepted");
  return String(task_id);
}
