import type { Caller } from "#src/domain/access/permissions/index.ts";
import { removeFiles, requireChat, type RemoveFilesDeps } from "#src/domain/agent-work/chats/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { attachmentsById, deleteUnbound } from "./queries.ts";

/** Deletes an unsent upload. Throws `not_found` for an unknown one, and `conflict` for a sent one. */
export async function deleteUpload(
  deps: RemoveFilesDeps & { db: Db },
  caller: Caller,
  { chatId, attachmentId }: { chatId: string; attachmentId: string },
): Promise<void> {
  const chat = await requireChat(deps, caller, chatId, "chat.send");
  const [attachment] = isId(attachmentId) ? await attachmentsById(deps.db, chatId, [attachmentId]) : [];
  if (attachment?.userId !== caller.userId) throw new AppError("not_found", "Attachment not found");
  const deleted = await deleteUnbound(deps.db, attachment.id);
  if (!deleted) throw new AppError("conflict", "The file cannot be deleted: it was sent with a message");
  if (deleted.isLast) await removeFiles(deps, chat.projectId, [attachment.filePath]);
}
