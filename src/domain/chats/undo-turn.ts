import type { Caller } from "#src/domain/access/index.ts";
import type { TakeDeps } from "#src/domain/archives/index.ts";
import { restoreProject } from "#src/domain/snapshots/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { deleteTurn, lastTurn } from "./queries/messages.ts";
import { isBusyElsewhere } from "./queries/tasks.ts";
import { requireChat } from "./require-chat.ts";

export interface Undone {
  removedIds: string[];
  /** What was asked, to be asked anew. */
  lastUserMessage: string;
  /** Whether files were changed for it, and are as they were before. */
  filesReverted: boolean;
}

/**
 * Take back the last question of a chat with its answer, and put the files of the project back to what they were before it changed
 * any. Throws as `requireChat` and `restoreProject` do, `invalid_input` where there is nothing to take back, and `conflict` while
 * something runs in the chat, or, where files are put back, in the project.
 */
export async function undoTurn(
  deps: Parameters<typeof restoreProject>[0] & TakeDeps,
  caller: Caller,
  chatId: string,
): Promise<Undone> {
  const chat = await requireChat(deps, caller, chatId, "chat.send");
  if (chat.state === "running" || chat.state === "waiting_approval") throw running();
  const [last] = await lastTurn(deps.db, chatId);
  if (last?.role !== "user") throw new AppError("invalid_input", "There is nothing to take back");
  const { turn, content, checkpoint } = last;
  if (checkpoint !== null) {
    if (await isBusyElsewhere(deps.db, chat.projectId, chatId)) throw running();
    await revert(deps, caller, { project: chat.projectId, hash: checkpoint });
  }
  const removedIds = await deleteTurn(deps.db, chatId, turn);
  if (removedIds.length === 0) throw running();
  return { removedIds, lastUserMessage: content, filesReverted: checkpoint !== null };
}

async function revert(
  deps: Parameters<typeof restoreProject>[0],
  caller: Caller,
  to: { project: string; hash: string },
): Promise<void> {
  try {
    await restoreProject(deps, caller, to);
  } catch (cause) {
    if (cause instanceof AppError && cause.code === "forbidden") throw cause;
    const why = cause instanceof AppError ? cause.message : "the snapshot could not be restored";
    throw new AppError("conflict", `The files could not be put back: ${why}`, { cause });
  }
}

function running(): AppError {
  return new AppError("conflict", "The agent is working here; stop it, or wait for it");
}
