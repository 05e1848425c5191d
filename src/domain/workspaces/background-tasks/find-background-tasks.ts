import { requireKeyProject, type Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { backgroundTaskById, backgroundTasksOf, type BackgroundTask } from "./queries.ts";

/**
 * A background task of the caller, or of a key's owner. Throws `not_found` for an unknown one (they are kept for a day
 * after their end), `forbidden` for another person's and for a key that is bound to other projects.
 */
export async function requireBackgroundTask(
  deps: { db: Db },
  caller: Caller,
  taskId: string,
): Promise<BackgroundTask> {
  const task = isId(taskId) ? await backgroundTaskById(deps.db, taskId) : undefined;
  if (!task) throw new AppError("not_found", "Task not found");
  if (task.userId !== caller.userId) throw new AppError("forbidden", "This task belongs to another person");
  requireKeyProject(caller, task.projectId);
  return task;
}

/**
 * The caller's background tasks, newest first; only unfinished ones, or all. A key that is bound to projects sees only
 * theirs.
 */
export async function listBackgroundTasks(
  deps: { db: Db },
  caller: Caller,
  only: { open: boolean; limit: number },
): Promise<BackgroundTask[]> {
  const tasks = await backgroundTasksOf(deps.db, caller.userId, only);
  const bound = caller.kind === "key" ? caller.projectIds : null;
  return bound === null ? tasks : tasks.filter(({ projectId }) => bound.includes(projectId));
}
