import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject, viewerOf } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import * as queries from "./queries/chats.ts";

interface Page {
  limit: number;
  offset: number;
}

export type ListedChat = Awaited<ReturnType<typeof queries.chatsOf>>[number];

/** The caller's chats, in all projects that a key can reach, last used first. */
export function listChats(
  { db }: { db: Db },
  caller: Caller,
  wish: Page & { origin?: string | undefined },
): Promise<ListedChat[]> {
  return queries.chatsOf(db, { ...reachOf(caller), origin: wish.origin }, wish);
}

/** The total number of the caller's chats. */
export function countChats({ db }: { db: Db }, caller: Caller): Promise<number> {
  return queries.countChats(db, reachOf(caller));
}

/** As `listChats`, in one project. Throws as `requireProject` does. */
export async function listChatsOfProject(
  { db }: { db: Db },
  caller: Caller,
  project: string,
  page: Page,
): Promise<ListedChat[]> {
  const { id } = await requireProject({ db }, caller, project, "chat.view");
  return queries.chatsOf(db, { ...reachOf(caller), projectId: id }, page);
}

/** What a caller can reach of the own chats: those in all projects, or in those of a bound key. */
export function reachOf(caller: Caller): queries.ChatFilter {
  const viewer = viewerOf(caller);
  if (caller.kind === "user") return { viewer };
  return { viewer, projectIds: caller.projectIds ?? undefined };
}
