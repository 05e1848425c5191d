import type { Db } from "#src/platform/db/client.ts";
import type { ChatSessions } from "#src/platform/objects/chat-sessions.ts";
import { followUpTask } from "./follow-up.ts";
import { launchTask, type LaunchDeps } from "./launch-task.ts";
import { taskById } from "./queries/find.ts";
import { isTerminal } from "./task.ts";

/**
 * Move a task on that may be stuck before its first step, or may hold its chat's turn although it is over. Does nothing
 * to one that runs. Safe to repeat.
 */
export async function resumeTask(
  deps: LaunchDeps & { db: Db; chatSessions: ChatSessions },
  task: { taskId: string; chatId: string | undefined },
): Promise<void> {
  const [row] = await taskById(deps.db, task.taskId);
  if (row && !isTerminal(row.status)) await launchTask(deps, row);
  else if (row) await followUpTask(deps, row.id);
  else if (task.chatId) await deps.chatSessions.finish(task.chatId, task.taskId);
}
