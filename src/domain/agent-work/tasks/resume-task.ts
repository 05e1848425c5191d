import type { Db } from "#src/platform/db/client.ts";
import { followUp } from "./follow-up.ts";
import type { FollowUpDeps } from "./follow-ups.ts";
import { again, launchTask, type LaunchDeps } from "./launch-task.ts";
import { taskWithTurn } from "./queries/chat-order.ts";
import { isTerminal } from "./task.ts";

/**
 * Launches a task that may be stuck before its first step, or publishes the follow-up of a finished one. Does nothing to a
 * task that runs or waits for its chat's turn. A task whose row is gone is launched too, so that its step ends the event
 * streams of its readers. Idempotent.
 */
export async function resumeTask(
  deps: LaunchDeps & FollowUpDeps & { db: Db },
  taskId: string,
): Promise<void> {
  const [found] = await taskWithTurn(deps.db, taskId);
  if (found && isTerminal(found.task.status)) return followUp(deps, { ...found.task, ...found });
  if (!found || (found.hasTurn && found.task.status === "queued")) {
    await launchTask(deps, { id: taskId, userId: found?.task.userId }, again());
  }
}
