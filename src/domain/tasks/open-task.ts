import { callerOfKey, hashOfKey, keyByHash, type KeyCaller } from "#src/domain/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { attemptsOfTask, taskWithRole } from "./queries/find.ts";
import type { CallbackAttempt, Task } from "./task.ts";

/** A task with what became of its callback. */
export type OpenedTask = Task & { callbackAttempts: CallbackAttempt[] };

/** No row has it: what is asked for under a name that is not an id. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/**
 * The key and the task it asks about, read in one trip. The task is handed out by `findTask`, once the caller has been
 * admitted: `not_found` for one that is unknown, another user's or of a project out of reach, `forbidden` for one of a
 * project the key is not for.
 */
export async function openTask(
  deps: { db: Db },
  token: string,
  taskId: string,
): Promise<{ caller: KeyCaller; findTask: () => OpenedTask }> {
  const id = isId(taskId) ? taskId : NOBODY;
  const [keys, found, attempts] = await deps.db.batch([
    keyByHash(deps.db, hashOfKey(token)),
    taskWithRole(deps.db, id),
    attemptsOfTask(deps.db, id),
  ]);
  const caller = callerOfKey(keys[0]);
  const findTask = () => {
    const [row] = found;
    if (!row || row.task.userId !== caller.userId) throw notFound();
    const { task, teamId, role } = row;
    if (caller.projectIds && !caller.projectIds.includes(task.projectId)) {
      throw new AppError("forbidden", "API key does not have access to this project");
    }
    if (teamId !== caller.teamId || !role) throw notFound();
    return { ...task, callbackAttempts: attempts };
  };
  return { caller, findTask };
}

function notFound(): AppError {
  return new AppError("not_found", "Task not found");
}
