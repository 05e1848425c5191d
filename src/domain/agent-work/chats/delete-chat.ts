import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { originOfCaller } from "./create-chat.ts";
import { stopTasksOfChat } from "./active-tasks.ts";
import { deleteChatRow, isLastChat, latestChat } from "./queries/chats.ts";
import { deleteMessages, filesOfChat } from "./queries/messages.ts";
import { removeFiles, type RemoveFilesDeps } from "./remove-files.ts";
import { requireChatToManage } from "./require-chat.ts";

/**
 * Deletes a chat with its messages, and stops its tasks. Throws as `requireChatToManage` does, and `invalid_input` for the last
 * chat of its project.
 */
export async function deleteChat(
  deps: FinishDeps & RemoveFilesDeps,
  caller: Caller,
  id: string,
): Promise<void> {
  const chat = await requireChatToManage(deps, caller, id, "chat.delete");
  const files = await filesOfChat(deps.db, id, "all");
  // Before the rows are deleted, so that a running task ends as cancelled in its log.
  if (await isLastChat(deps.db, chat)) throw lastChat();
  await stopTasksOfChat(deps, chat);
  if (!(await deleteChatRow(deps.db, chat))) throw lastChat();
  await removeFiles(deps, chat.projectId, files);
}

/**
 * Clears a chat (the one last used in the project when none is named): its messages, its summary, and the tools that are
 * allowed for the whole chat. Returns the number of deleted messages. Throws `conflict` while a task runs in the chat.
 */
export async function clearChat(
  deps: FinishDeps & RemoveFilesDeps,
  caller: Caller,
  of: { project: string; chatId: string | undefined },
): Promise<number> {
  const { id: projectId } = await requireProject(deps, caller, of.project, "chat.delete");
  const chat = of.chatId
    ? await requireChatToManage(deps, caller, of.chatId, "chat.delete")
    : await latestChat(deps.db, caller.userId, projectId, originOfCaller(caller));
  if (!chat) return 0;
  if (chat.projectId !== projectId) throw new AppError("not_found", "Chat not found");
  const files = await filesOfChat(deps.db, chat.id, "sent");
  const { idle, deleted } = await deleteMessages(deps.db, chat.id);
  if (!idle)
    throw new AppError("conflict", "The agent is working in this chat: stop it, or wait until it ends");
  await removeFiles(deps, projectId, files);
  return deleted;
}

function lastChat(): AppError {
  return new AppError("invalid_input", "The last chat of a project cannot be deleted");
}
