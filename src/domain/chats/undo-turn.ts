import type { Caller } from "#src/domain/access/index.ts";
import type { TakeDeps } from "#src/domain/archives/index.ts";
import { restoreProject } from "#src/domain/snapshots/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { deleteTurn, lastTurn } from "./queries/messages.ts";
import { workElsewhere } from "./queries/tasks.ts";
import { UPLOADS_FOLDER } from "./remove-files.ts";
import { requireChat } from "./require-chat.ts";

export interface Undone {
  removedIds: string[];
  /** What was asked, to be asked anew. */
  lastUserMessage: string;
  /** Where files were changed for it, and are as they were before: the snapshot of what was there until then. */
  snapshotHash: string | null;
}

/**
 * Take back the last question of a chat with its answer, and put the files of the project back to what they were before it changed
 * any; what was sent along with messages stays. Files that agents changed in other chats since are put back only where that is
 * forced; what people changed goes in any case, and is in the snapshot that the answer names.
 *
 * Throws as `requireChat` and `restoreProject` do, `invalid_input` where there is nothing to take back, and `conflict` while
 * something runs in the chat, or, where files are put back, in the project, and where they are not to be.
 */
export async function undoTurn(
  deps: Parameters<typeof restoreProject>[0] & TakeDeps,
  caller: Caller,
  chatId: string,
  { isForced }: { isForced: boolean },
): Promise<Undone> {
  const chat = await requireChat(deps, caller, chatId, "chat.send");
  if (chat.state === "running" || chat.state === "waiting_approval") throw running();
  const [last] = await lastTurn(deps.db, chatId);
  if (last?.role !== "user") throw new AppError("invalid_input", "There is nothing to take back");
  const { seq, taskId, content, checkpoint } = last;
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

/** Answers with the snapshot of what was there until now. */
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
    throw new AppError("conflict", `The files could not be put back: ${why}`, { cause });
  }
}

function running(): AppError {
  return new AppError("conflict", "The agent is working here; stop it, or wait for it");
}

function moved(): AppError {
  return new AppError(
    "conflict",
    "The files that this message changed are those of another project, from which the chat was moved since: move it back to undo this",
  );
}

function changedElsewhere(): AppError {
  return new AppError(
    "conflict",
    "Agents have changed files of the project in other chats since, and that would be undone, too. Add ?force=true if it should be; what is there now is kept as a snapshot",
  );
}

/** Something was asked, or taken back, while this was under way. */
function changed(): AppError {
  return new AppError(
    "conflict",
    "Something else happened in this chat meanwhile: look at it, and try again",
  );
}
