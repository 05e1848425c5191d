import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject, viewerOf } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import * as queries from "./queries/chats.ts";

interface Page {
  limit: number;
  offset: number;
  /** Also the chats that others share in projects of which the caller is a member. */
  withShared?: boolean | undefined;
}

export type ListedChat = queries.ListedRow;

/** The caller's chats, in all projects that a key can reach, last used first. */
export function listChats(
  { db }: { db: Db },
  caller: Caller,
  wish: Page & { origin?: string | undefined },
): Promise<ListedChat[]> {
  return queries.chatsOf(db, { ...reachOf(caller), origin: wish.origin, withShared: wish.withShared }, wish);
}

/** The total number of the chats that `listChats` lists. */
export function countChats(
  { db }: { db: Db },
  caller: Caller,
  { withShared }: Pick<Page, "withShared"> = {},
): Promise<number> {
  return queries.countChats(db, { ...reachOf(caller), withShared });
}

/** As `listChats`, in one project. Throws as `requireProject` does. */
export async function listChatsOfProject(
  { db }: { db: Db },
  caller: Caller,
  project: string,
  page: Page,
): Promise<ListedChat[]> {
  const { id } = await requireProject({ db }, caller, project, "chat.view");
  return queries.chatsOf(db, { ...reachOf(caller), projectId: id, withShared: page.withShared }, page);
}

/** What a caller can reach of the own chats: those in all projects, or in those of a bound key. */
export function reachOf(caller: Caller): queries.ChatFilter {
  const viewer = viewerOf(caller);
  if (caller.kind === "user") return { viewer };
  return { viewer, projectIds: caller.projectIds ?? undefined };
}
