import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { reachOf } from "./list-chats.ts";
import { searchOf, type SearchHit } from "./queries/search.ts";

/**
 * Searches the titles and messages of the caller's own chats, or also of those that are shared with the caller, in all projects that the caller can see (a bound key: in its
 * projects), newest first. It reads no more than `SEARCHED` says.
 */
export function searchChats(
  { db }: { db: Db },
  caller: Caller,
  wish: { text: string; limit: number; before?: string | undefined; withShared?: boolean | undefined },
): Promise<SearchHit[]> {
  return searchOf(db, { ...reachOf(caller), withShared: wish.withShared }, wish);
}
