import { isOwn, type Caller } from "#src/domain/access/permissions/index.ts";
import type { TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { restoreProject } from "#src/domain/workspaces/snapshots/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { deleteTurn, lastTurn } from "./queries/messages.ts";
import { workElsewhere } from "./queries/tasks.ts";
import { UPLOADS_FOLDER } from "./remove-files.ts";
import { isBusy, requireChat, requireChatToManage } from "./require-chat.ts";

export interface Undone {
  removedIds: string[];
  /** The undone message, so that the client can offer it for editing. */
  lastUserMessage: string;
  /** If the files were restored: the snapshot of the files before the undo. */
  snapshotHash: string | null;
}

/**
 * Undoes the last message of a chat and its answer, and restores the project's files to their state before the message's
 * first change. Attachments stay. If agents have changed files in other chats since, the undo must be forced. Changes by
 * people are undone in any case; the returned snapshot holds them.
 *
 * In a shared chat a person undoes an own message; its owner and administrators of the project undo that of another, too.
 *
 * Throws as `requireChat`, `requireChatToManage` and `restoreProject` do, `invalid_input` when there is no message to undo, and `conflict` while a
 * task runs in the chat, or, if files are restored, in the project, and when files must not be restored.
 */
export async function undoTurn(
  deps: Parameters<typeof restoreProject>[0] & TakeDeps,
  caller: Caller,
  chatId: string,
  { isForced }: { isForced: boolean },
): Promise<Undone> {
  const chat = await requireChat(deps, caller, chatId, "chat.send");
  if (isBusy(chat)) throw running();
  const [last] = await lastTurn(deps.db, chatId);
  if (last?.role !== "user") throw new AppError("invalid_input", "There is no message to undo");
  const { seq, taskId, content, checkpoint } = last;
  const mayUndo = isOwn(caller, chat) || last.userId === caller.userId;
  if (!mayUndo) await requireChatToManage(deps, caller, chatId, "chat.send");
  let snapshotHash: string | null = null;
  if (checkpoint !== null) {
    const { hash, projectId } = checkpoint;
    if (projectId !== chat.projectId) throw moved();
    const elsewhere = await workElsewhere(deps.db, { projectId, chatId, taskId });
    if (elsewhere.isBusy) throw running();
    if (elsewhere.hasChangedFiles && !isForced) throw changedElsewhere();
    snapshotHash = await revert(deps, caller, { project: projectId, hash });
  }
  const removedIds = await deleteTurn(deps.db, chatId, seq);
  if (removedIds.length === 0) throw changed();
  return { removedIds, lastUserMessage: content, snapshotHash };
}

/** Returns the snapshot of the files before the restore. */
async function revert(
  deps: Parameters<typeof restoreProject>[0],
  caller: Caller,
  to: { project: string; hash: string },
): Promise<string> {
  try {
    return (await restoreProject(deps, caller, { ...to, keep: UPLOADS_FOLDER })).before;
  } catch (cause) {
    if (cause instanceof AppError && cause.code === "forbidden") throw cause;
    const why = cause instanceof AppError ? cause.message : "the snapshot could not be restored";
    throw new AppError("conflict", `The files could not be restored: ${why}`, { cause });
  }
}

function running(): AppError {
  return new AppError("conflict", "An agent is working in this project: stop it, or wait until it ends");
}

function moved(): AppError {
  return new AppError(
    "conflict",
    "This message changed files of another project, and the chat was moved since: move the chat back to undo the message",
  );
}

function changedElsewhere(): AppError {
  return new AppError(
    "conflict",
    "Agents have changed files of this project in other chats since, and those changes would be undone too. Add ?force=true to undo them: the current files are kept as a snapshot",
  );
}

/** Another message was sent or undone at the same time. */
function changed(): AppError {
  return new AppError(
    "conflict",
    "This chat has changed in the meantime: read it again, and repeat the request if it still applies",
  );
}
