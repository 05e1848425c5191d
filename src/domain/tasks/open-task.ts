import {
  callerOfKey,
  hashOfKey,
  keyByHash,
  requireOwn,
  type KeyCaller,
  type Scope,
} from "#src/domain/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { attemptsOfTask, taskWithRole } from "./queries/find.ts";
import type { CallbackAttempt, Task } from "./task.ts";

/** A task with what became of its callback. */
export type OpenedTask = Task & { callbackAttempts: CallbackAttempt[] };

/** No row has it: what is asked for under a name that is not an id. */
const NOBODY = "00000000-0000-0000-0000-000000000000";
const MISSING = "Task not found";

/**
 * The key and the task it asks about, read in one trip. The task is handed out by `findTask`, once the caller has been admitted.
 * That throws as `requireOwn` does.
 */
export async function openTask(
  deps: { db: Db },
  token: string,
  taskId: string,
): Promise<{ caller: KeyCaller; findTask: (scope: Scope) => OpenedTask }> {
  const id = isId(taskId) ? taskId : NOBODY;
  const [keys, found, attempts] = await deps.db.batch([
    keyByHash(deps.db, { keyHash: hashOfKey(token) }),
    taskWithRole(deps.db, { taskId: id }),
    attemptsOfTask(deps.db, { taskId: id }),
  ]);
  const caller = callerOfKey(keys[0]);
  const findTask = (scope: Scope) => {
    const [row] = found;
    if (!row) throw new AppError("not_found", MISSING);
    const { task, project, role } = row;
    requireOwn(caller, { ownerId: task.userId, project, role }, scope, MISSING);
    return { ...task, callbackAttempts: attempts };
  };
  return { caller, findTask };
}
