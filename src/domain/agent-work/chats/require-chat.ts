import {
  authorize,
  isOwn,
  type Caller,
  type Role,
  type Scope,
} from "#src/domain/access/permissions/index.ts";
import { viewerOf } from "#src/domain/workspaces/projects/index.ts";
import type { Task } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { chatWithRole, type ChatView } from "./queries/chats.ts";
import { taskWithProject } from "./queries/tasks.ts";

/** How long a check of the access to another person's task holds while its events are sent, in milliseconds. */
export const SHARED_CHECK_MS = 1_000;

const OWNERS_ALONE =
  "This chat is shared with you: only the person who began it, and administrators of the project, may do this";

/**
 * The chat with this id, if it is the caller's own or shared, and the caller has the permission in its project. Throws as
 * `authorize` does.
 */
export async function requireChat(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: Scope,
): Promise<ChatView> {
  return (await openChat(deps, caller, id, scope)).chat;
}

/**
 * As `requireChat`, for what changes the chat for all of its readers. Throws `forbidden` for a shared chat that the caller did
 * not begin, unless the caller is an administrator of its project.
 */
export async function requireChatToManage(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: Scope,
): Promise<ChatView> {
  const { chat, role } = await openChat(deps, caller, id, scope);
  if (!isOwn(caller, chat) && !isAdministrator(caller, role)) throw new AppError("forbidden", OWNERS_ALONE);
  return chat;
}

/** As `requireChat`, for what is the owner's alone. Throws `forbidden` for a shared chat that the caller did not begin. */
export async function requireOwnChat(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: Scope,
): Promise<ChatView> {
  const chat = await requireChat(deps, caller, id, scope);
  if (!isOwn(caller, chat)) {
    throw new AppError("forbidden", "This chat is shared with you: only the person who began it may do this");
  }
  return chat;
}

/** Whether a task waits or runs in a chat. Its state does not say so of an archived chat. */
export function isBusy({ unfinishedTasks }: Pick<ChatView, "unfinishedTasks">): boolean {
  return unfinishedTasks.length > 0;
}

/** A key of an administrator manages shared chats only while the role in the key's team says so, too. */
function isAdministrator(caller: Caller, role: Role): boolean {
  return role === "admin" && (caller.kind === "user" || caller.role === "admin");
}

async function openChat(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: Scope,
): Promise<{ chat: ChatView; role: Role }> {
  const [row] = isId(id) ? await chatWithRole(deps.db, id, viewerOf(caller)) : [];
  if (!row) throw new AppError("not_found", "Chat not found");
  const { chat, project, role: found, state } = row;
  const { isShared, userId: ownerId } = chat;
  const role = authorize(
    caller,
    scope,
    { role: found, projectId: project.id, ownerId, isShared },
    "Chat not found",
  );
  return { chat: { ...chat, state }, role };
}

/**
 * The task with this id, if it is the caller's own, or of a chat that is the caller's own or shared. Throws as `authorize`
 * does.
 */
export async function requireTask(deps: { db: Db }, caller: Caller, id: string, scope: Scope): Promise<Task> {
  const [row] = isId(id) ? await taskWithProject(deps.db, id, viewerOf(caller)) : [];
  if (!row) throw new AppError("not_found", "Task not found");
  const { task, project, role, chat } = row;
  const isShared = chat.isShared || isOwn(caller, chat);
  authorize(caller, scope, { role, projectId: project.id, ownerId: task.userId, isShared }, "Task not found");
  return task;
}
