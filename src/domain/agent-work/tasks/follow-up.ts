import type { Db } from "#src/platform/db/client.ts";
import { messageOf } from "#src/work/job.ts";
import { messageTo } from "#src/work/message.ts";
import { callbackDue } from "./callback-due.ts";
import { replyDue } from "./functions.ts";
import { launchTask, type LaunchDeps } from "./launch-task.ts";
import { isPlatform } from "#src/channels/channel.ts";
import { taskWithTurn } from "./queries/chat-order.ts";
import { runDue } from "./run-due.ts";
import { isTerminal, type Task } from "./task.ts";

/** A finished task, with its follow-up work. */
export interface Followed extends Pick<Task, "id" | "userId" | "callbackStatus" | "origin"> {
  /** The chat's next task: it has the turn and has not begun. */
  next: string | null;
}

/**
 * Publishes the follow-up of a finished task: its callback, its reply on a messaging platform or the end of its schedule's
 * run, and the next task of its chat. Idempotent.
 */
export async function followUp(deps: LaunchDeps, task: Followed): Promise<void> {
  const { queue } = deps;
  if (task.callbackStatus === "pending") {
    const job = { name: callbackDue.name, key: task.id };
    await queue.publish(messageOf(job, { occasion: "stored", share: task.userId }));
  }
  if (isPlatform(task.origin)) {
    const delivery = { deduplicationId: `reply-${task.id}`, shareOf: task.userId };
    await queue.publish(messageTo(replyDue, { taskId: task.id }, delivery));
  }
  if (task.origin === "schedule") {
    const job = { name: runDue.name, key: task.id };
    await queue.publish(messageOf(job, { occasion: "ended", share: task.userId }));
  }
  if (task.next) await launchTask(deps, { id: task.next, userId: task.userId }, `after-${task.id}`);
}

/** As `followUp`, by the task's id; does nothing for an unfinished task. */
export async function followUpTask(deps: LaunchDeps & { db: Db }, taskId: string): Promise<void> {
  const [found] = await taskWithTurn(deps.db, taskId);
  if (found && isTerminal(found.task.status)) await followUp(deps, { ...found.task, next: found.next });
}
