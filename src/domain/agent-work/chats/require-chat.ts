import { authorize, type Caller, type Scope } from "#src/domain/access/permissions/index.ts";
import { viewerOf } from "#src/domain/workspaces/projects/index.ts";
import type { Task } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { chatWithRole, type ChatView } from "./queries/chats.ts";
import { taskWithProject } from "./queries/tasks.ts";

/**
 * The caller's own chat with this id, if the caller still has the permission in its project. Throws as `authorize` does.
 */
export async function requireChat(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: Scope,
): Promise<ChatView> {
  const [row] = isId(id) ? await chatWithRole(deps.db, id, viewerOf(caller)) : [];
  if (!row) throw new AppError("not_found", "Chat not found");
  const { chat, project, role } = row;
  authorize(caller, scope, { role, projectId: project.id, ownerId: chat.userId }, "Chat not found");
  return { ...chat, state: row.state };
}

/** The caller's own task with this id. Throws as `authorize` does. */
export async function requireTask(deps: { db: Db }, caller: Caller, id: string, scope: Scope): Promise<Task> {
  const [row] = isId(id) ? await taskWithProject(deps.db, id, viewerOf(caller)) : [];
  if (!row) throw new AppError("not_found", "Task not found");
  const { task, project, role } = row;
  authorize(caller, scope, { role, projectId: project.id, ownerId: task.userId }, "Task not found");
  return task;
}
