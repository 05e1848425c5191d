import { workspace } from "../../service/workspace.ts";

interface Undoing {
  /** The messages of the chat are not those that were read. */
  changed: () => Promise<void>;
  /** The message that was taken back. */
  undone: (message: string) => void;
}

/** Undoes the newest message of a chat, and says what was done; `isForced` also takes back what other chats have changed. */
export async function undoNewest(
  chatId: string,
  { changed, undone }: Undoing,
  isForced = false,
): Promise<string> {
  const query = isForced ? { force: "true" as const } : {};
  const { last_user_message, files_reverted } = await workspace.chats.undo(chatId, query);
  await changed();
  undone(last_user_message);
  return files_reverted ? "The last message and its file changes are undone." : "The last message is undone.";
}

/** Summarises a chat for the model, and says what was done. */
export async function compactChat(chatId: string, changed: () => Promise<void>): Promise<string> {
  const { success, before_count, after_count, detail } = await workspace.chats.compact(chatId);
  if (!success) return detail ?? "Nothing to compact.";
  await changed();
  return `Compacted ${before_count ?? 0} messages into ${after_count ?? 0}.`;
}
