import type { Caller } from "#src/domain/access/permissions/index.ts";
import { listProjects, viewerOf, type Project } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { listChats, type ListedChat } from "./list-chats.ts";
import { chatsOf } from "./queries/chats.ts";

/** Entries of each kind in the sidebar. */
const ROOT_CHATS = 30;
const PROJECTS = 50;
const CHATS_PER_PROJECT = 20;
/** Most chats that are read to find them. */
const CHATS = PROJECTS * CHATS_PER_PROJECT;

export interface SidebarTree {
  rootChats: ListedChat[];
  projects: { project: Project; chats: ListedChat[] }[];
}

/** The sidebar: standalone chats, and the newest projects with their chats; on request also those that others share there. */
export async function sidebarTree(
  deps: { db: Db },
  caller: Caller,
  { withShared }: { withShared?: boolean | undefined } = {},
): Promise<SidebarTree> {
  const [rootChats, projects] = await Promise.all([
    listChats(deps, caller, { origin: "standalone", limit: ROOT_CHATS, offset: 0 }),
    listProjects(deps, caller, { limit: PROJECTS }),
  ]);
  const filter = { viewer: viewerOf(caller), projectIds: projects.map(({ id }) => id), withShared };
  const chats = await chatsOf(deps.db, filter, { limit: CHATS, offset: 0 });
  const byProject = Map.groupBy(
    chats.filter(({ origin }) => origin !== "standalone"),
    ({ projectId }) => projectId,
  );
  return {
    rootChats,
    projects: projects.map((project) => ({
      project,
      chats: (byProject.get(project.id) ?? []).slice(0, CHATS_PER_PROJECT),
    })),
  };
}
