import { requireOwn, type Caller, type Scope } from "#src/domain/access/index.ts";
import { somebodyOf } from "#src/domain/projects/index.ts";
import type { Task } from "#src/domain/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { chatWithRole, type ChatView } from "./queries/chats.ts";
import { taskWithProject } from "./queries/tasks.ts";

/**
 * A chat, for whoever it belongs to and who may still do this in its project. Throws `not_found` for anybody else's and for none,
 * `forbidden` where a key is bound to other projects or the role is too low.
 */
export async function requireChat(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: Scope,
): Promise<ChatView> {
  const [row] = isId(id) ? await chatWithRole(deps.db, id, somebodyOf(caller)) : [];
  if (!row) throw new AppError("not_found", "Chat not found");
  requireOwn(caller, { ...row, ownerId: row.chat.userId }, scope, "Chat not found");
  return { ...row.chat, state: row.state };
}

/** The same for a task. */
export async function requireTask(deps: { db: Db }, caller: Caller, id: string, scope: Scope): Promise<Task> {
  const [row] = isId(id) ? await taskWithProject(deps.db, id, somebodyOf(caller)) : [];
  if (!row) throw new AppError("not_found", "Task not found");
  requireOwn(caller, { ...row, ownerId: row.task.userId }, scope, "Task not found");
  return row.task;
}
