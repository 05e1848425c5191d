import type { Db } from "#src/platform/db/client.ts";
import { followUp } from "./follow-up.ts";
import { again, launchTask, type LaunchDeps } from "./launch-task.ts";
import { taskWithTurn } from "./queries/turn.ts";
import { isTerminal } from "./task.ts";

/**
 * Move a task on that may be stuck before its first step, or what follows from one that is over. Does nothing to one that runs or
 * waits for its chat's turn. A task whose row is gone is launched, so that its step tells who waits for its events. Safe to repeat.
 */
export async function resumeTask(deps: LaunchDeps & { db: Db }, taskId: string): Promise<void> {
  const [found] = await taskWithTurn(deps.db, taskId);
  if (found && isTerminal(found.task.status)) return followUp(deps, { ...found.task, next: found.next });
  if (!found || (found.hasTurn && found.task.status === "queued")) await launchTask(deps, taskId, again());
}
