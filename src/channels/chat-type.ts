import type { Place } from "./channel.ts";

/** The type of a chat of which only the id is known. Signal alone sends to groups in another way, and its ids of groups tell. */
export function chatTypeOfId(chatId: string): Place["chatType"] {
  return chatId.startsWith("group.") ? "group" : "dm";
}
