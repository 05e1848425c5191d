import type { Db } from "#src/platform/db/client.ts";
import type { ChatSessions } from "#src/platform/objects/chat-sessions.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { taskById } from "./queries/find.ts";
import { isTerminal, type Task } from "./task.ts";

export interface FollowUpDeps {
  chatSessions: ChatSessions;
  queue: Queue;
}

/** What follows from the end of a task: its callback and the next turn of its chat. Safe to repeat. */
export async function followUp(
  { chatSessions, queue }: FollowUpDeps,
  task: Pick<Task, "id" | "chatId" | "callbackStatus">,
): Promise<void> {
  if (task.callbackStatus === "pending") {
    await queue.publish({
      function: "deliver-callback",
      payload: { taskId: task.id, attempt: 1 },
      deduplicationId: `callback-${task.id}-1`,
    });
  }
  const next = await chatSessions.finish(task.chatId, task.id);
  if (next) {
    await queue.publish({
      function: "start-task",
      payload: { taskId: next },
      deduplicationId: `start-${next}-after-${task.id}`,
    });
  }
}

/** The same for whoever knows only the task's id; nothing for a task that is not over. */
export async function followUpTask(deps: FollowUpDeps & { db: Db }, taskId: string): Promise<void> {
  const [task] = await taskById(deps.db, taskId);
  if (task && isTerminal(task.status)) await followUp(deps, task);
}
