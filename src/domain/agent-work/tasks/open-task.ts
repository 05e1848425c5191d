import {
  authorize,
  callerOfKey,
  hashOfKey,
  keyByHash,
  reachesTeam,
  type Caller,
  type KeyCaller,
  type Scope,
} from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { attemptsOfTask, taskWithRole } from "./queries/find.ts";
import type { Waiting } from "./queries/waiting.ts";
import type { CallbackAttempt, Task } from "./task.ts";

/** A task with the state of its callback, and what the task waits for. */
export type OpenedTask = Task & { callbackAttempts: CallbackAttempt[]; waiting: Waiting | null };

/** Stands in for a name that is not an id; no row has this id. */
const NO_TASK = "00000000-0000-0000-0000-000000000000";
const MISSING = "Task not found";

/**
 * Reads the key and the task it asks about in one round trip. `findTask` returns the task once the caller has been
 * admitted. That throws as `authorize` does.
 */
export async function openTask(
  deps: { db: Db },
  token: string,
  taskId: string,
): Promise<{ caller: KeyCaller; findTask: (scope: Scope) => OpenedTask }> {
  const id = isId(taskId) ? taskId : NO_TASK;
  const [keys, found, attempts] = await deps.db.batch([
    keyByHash(deps.db, { keyHash: hashOfKey(token) }),
    taskWithRole(deps.db, { taskId: id }),
    attemptsOfTask(deps.db, { taskId: id }),
  ]);
  const caller = callerOfKey(keys[0]);
  return { caller, findTask: (scope) => opened(caller, scope, found, attempts) };
}

/** Reads a task of a caller who is known already. Throws as `authorize` does. */
export async function requireOpenTask(
  deps: { db: Db },
  caller: Caller,
  taskId: string,
  scope: Scope,
): Promise<OpenedTask> {
  const id = isId(taskId) ? taskId : NO_TASK;
  const [found, attempts] = await deps.db.batch([
    taskWithRole(deps.db, { taskId: id }),
    attemptsOfTask(deps.db, { taskId: id }),
  ]);
  return opened(caller, scope, found, attempts);
}

function opened(
  caller: Caller,
  scope: Scope,
  [row]: Awaited<ReturnType<typeof taskWithRole>>,
  callbackAttempts: CallbackAttempt[],
): OpenedTask {
  if (!row) throw new AppError("not_found", MISSING);
  const { task, project, waiting } = row;
  const role = reachesTeam(caller, project.teamId) ? row.role : null;
  authorize(caller, scope, { role, projectId: project.id, ownerId: task.userId }, MISSING);
  return { ...task, callbackAttempts, waiting };
}
