import type { Db } from "#src/platform/db/client.ts";
import type { ChatSessions } from "#src/platform/objects/chat-sessions.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { taskById } from "./queries.ts";
import { isTerminal } from "./task.ts";

/** What follows from the end of a task: the chat's next turn and the callback. Safe to repeat. */
export async function followUpTask(
  deps: { db: Db; chatSessions: ChatSessions; queue: Queue },
  taskId: string,
): Promise<void> {
  const [task] = await taskById(deps.db, taskId);
  if (!task || !isTerminal(task.status)) return;
  if (task.callbackStatus === "pending") {
    await deps.queue.publish({
      function: "deliver-callback",
      payload: { taskId, attempt: 1 },
      deduplicationId: `callback-${taskId}-1`,
    });
  }
  const next = await deps.chatSessions.finish(task.chatId, taskId);
  if (next) {
    await deps.queue.publish({
      function: "start-task",
      payload: { taskId: next },
      deduplicationId: `start-${next}-after-${taskId}`,
    });
  }
}
