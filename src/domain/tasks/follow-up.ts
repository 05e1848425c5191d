import type { Db } from "#src/platform/db/client.ts";
import { launchTask, type LaunchDeps } from "./launch-task.ts";
import { taskWithTurn } from "./queries/turn.ts";
import { isTerminal, type Task } from "./task.ts";

/** A task that is over, with what follows from that. */
export interface Followed extends Pick<Task, "id" | "callbackStatus"> {
  /** The task of its chat that has the turn now and has not begun. */
  next: string | null;
}

/** What follows from the end of a task: its callback and the next turn of its chat. Safe to repeat. */
export async function followUp({ queue }: LaunchDeps, task: Followed): Promise<void> {
  if (task.callbackStatus === "pending") {
    await queue.publish({
      function: "deliver-callback",
      payload: { taskId: task.id, attempt: 1 },
      deduplicationId: `callback-${task.id}-1`,
    });
  }
  if (task.next) await launchTask({ queue }, task.next, `after-${task.id}`);
}

/** The same by the task's id alone; nothing for a task that is not over. */
export async function followUpTask(deps: LaunchDeps & { db: Db }, taskId: string): Promise<void> {
  const [found] = await taskWithTurn(deps.db, taskId);
  if (found && isTerminal(found.task.status)) await followUp(deps, { ...found.task, next: found.next });
}
