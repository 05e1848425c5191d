import type { Db } from "#src/platform/db/client.ts";
import { messageOf } from "#src/work/job.ts";
import { messageTo } from "#src/work/message.ts";
import { callbackDue } from "./callback-due.ts";
import type { FollowUpDeps } from "./follow-ups.ts";
import { launchTask, type LaunchDeps } from "./launch-task.ts";
import { taskWithTurn } from "./queries/chat-order.ts";
import type { SourceKind } from "./source.ts";
import { isTerminal, type Task } from "./task.ts";

/** A finished task, with its follow-up work. */
export interface Followed extends Pick<Task, "id" | "userId" | "callbackStatus"> {
  kind: SourceKind;
  /** The chat's next task: it has the turn and has not begun. */
  next: string | null;
}

/**
 * Publishes the follow-up of a finished task: its callback, what is registered for the kind of its source, and the next task
 * of its chat. Idempotent.
 */
export async function followUp(deps: LaunchDeps & FollowUpDeps, task: Followed): Promise<void> {
  const { queue, followUps } = deps;
  const { job, ended } = followUps[task.kind] ?? {};
  if (task.callbackStatus === "pending") {
    const callback = { name: callbackDue.name, key: task.id };
    await queue.publish(messageOf(callback, { occasion: "stored", share: task.userId }));
  }
  if (job) {
    const stored = { name: job.name, key: task.id };
    await queue.publish(messageOf(stored, { occasion: "ended", share: task.userId }));
  }
  if (task.next) await launchTask(deps, { id: task.next, userId: task.userId }, `after-${task.id}`);
  if (ended) {
    const delivery = { deduplicationId: `${ended.name}-${task.id}`, shareOf: task.userId, atOnce: true };
    await queue.publish(messageTo(ended, { taskId: task.id }, delivery));
  }
}

/** As `followUp`, by the task's id; does nothing for an unfinished task. */
export async function followUpTask(
  deps: LaunchDeps & FollowUpDeps & { db: Db },
  taskId: string,
): Promise<void> {
  const [found] = await taskWithTurn(deps.db, taskId);
  if (found && isTerminal(found.task.status)) await followUp(deps, { ...found.task, ...found });
}
