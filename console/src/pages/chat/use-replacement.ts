import { pictureType } from "../../parts/files/picture-type.ts";
import { workspace } from "../../service/workspace.ts";
import type { SentFile } from "./details.ts";
import type { Draft } from "./draft.ts";

interface Replacement {
  readonly chatId: string;
  readonly text: string;
  readonly files: readonly SentFile[];
  /** Whether changes of other chats are taken back, too. */
  readonly isForced: boolean;
}

/**
 * Undoes the newest message of a chat, and posts another one in its place. The service undoes one message at a time; until the
 * new one is posted its text is the draft, as the page may go in between.
 */
export async function replaceNewest(
  { chatId, text, files, isForced }: Replacement,
  {
    draft,
    undone,
    post,
  }: {
    draft: Draft;
    undone: () => Promise<void>;
    post: (text: string, attachments: readonly object[]) => void;
  },
): Promise<void> {
  const isDraftFree = draft.read() === "";
  if (isDraftFree) draft.write(text);
  try {
    await workspace.chats.undo(chatId, isForced ? { force: "true" } : {});
    post(text, files.flatMap(asReference));
  } finally {
    if (isDraftFree) draft.clear();
  }
  await undone();
}

/** A file that was sent before, as one of the project: an upload goes with one message alone. */
function asReference({ name, path }: SentFile): object[] {
  if (path === undefined) return [];
  return [{ type: pictureType(path) ? "image" : "file_reference", file_path: path, label: name }];
}
