import type { Caller } from "#src/domain/access/index.ts";
import { requireProject, type OpenProject } from "#src/domain/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { chatById } from "./queries/chats.ts";

/**
 * The project that a chat is about, for whoever may see it. Throws `not_found` for no such chat and for one in a project in
 * which the caller has no part, `forbidden` as `requireProject` does.
 */
export async function projectOfChat(deps: { db: Db }, caller: Caller, chatId: string): Promise<OpenProject> {
  const chat = isId(chatId) ? await chatById(deps.db, chatId) : undefined;
  if (!chat) throw noChat();
  try {
    return await requireProject(deps, caller, chat.projectId, "project.view");
  } catch (error) {
    // A foreign chat and no chat look the same.
    if (error instanceof AppError && error.code === "not_found") throw noChat();
    throw error;
  }
}

function noChat(): AppError {
  return new AppError("not_found", "Chat not found");
}
