import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { cancelTask, type FinishDeps, type Task } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Chat } from "./queries/chats.ts";
import { unfinishedTasks } from "./queries/tasks.ts";
import { requireChat } from "./require-chat.ts";

export interface ActiveTask {
  task: Task;
  /** Of its chat. */
  title: string | null;
}

/**
 * Lists the unfinished tasks of the caller in a project, or those of one of its chats, which others may have begun where it is
 * shared. Throws as `requireProject` and `requireChat` do.
 */
export async function activeTasks(
  deps: { db: Db },
  caller: Caller,
  of: { project: string; chatId: string | undefined },
): Promise<ActiveTask[]> {
  const { id: projectId } = await requireProject(deps, caller, of.project, "chat.view");
  if (of.chatId === undefined) return unfinishedTasks(deps.db, { userId: caller.userId, projectId });
  const chat = await requireChat(deps, caller, of.chatId, "chat.view");
  if (chat.projectId !== projectId) throw new AppError("not_found", "Chat not found");
  return unfinishedTasks(deps.db, { chatId: chat.id });
}

/** Stops all unfinished tasks in a chat in which the caller may write. Returns whether there were any. */
export async function stopChat(deps: FinishDeps, caller: Caller, chatId: string): Promise<boolean> {
  return stopTasksOfChat(deps, await requireChat(deps, caller, chatId, "chat.send"));
}

/**
 * Newest first, so that the chat's turn never passes to a task that is about to be stopped. With `notOf`, those of all but
 * that person.
 */
export async function stopTasksOfChat(
  deps: FinishDeps,
  chat: Pick<Chat, "id">,
  { notOf }: { notOf?: string } = {},
): Promise<boolean> {
  const unfinished = await unfinishedTasks(deps.db, { chatId: chat.id, notOf });
  for (const { task } of unfinished.toReversed()) await cancelTask(deps, task);
  return unfinished.length > 0;
}
