import type { ListedChat } from "../service/reads.ts";

/** Who shares a chat, in words. */
export function sharedBy({ is_own, owner_name }: Pick<ListedChat, "is_own" | "owner_name">): string {
  return is_own ? "Shared by you" : `Shared by ${owner_name}`;
}
