import type { Caller } from "#src/domain/access/permissions/index.ts";
import { createProject, requireProject, viewerOf } from "#src/domain/workspaces/projects/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  defaultWorkspaceOf,
  insertEmptyChat,
  settleDefaultWorkspace,
  type ChatView,
} from "./queries/chats.ts";

/** The origin of a caller's chats in a project. Chats of programs are separate from those of people. */
export function originOfCaller(caller: Caller): "api" | "browser" {
  return caller.kind === "key" ? "api" : "browser";
}

/**
 * Creates a chat in a project. When none is named, in the caller's default workspace, which is created if missing. Throws
 * as `requireProject` and `createProject` do, and `invalid_input` for a person with the most chats.
 */
export async function createChat(
  deps: { db: Db; config: CeilingConfig<"chats"> },
  caller: Caller,
  wish: { project: string | undefined; title: string | undefined },
): Promise<ChatView> {
  const { project, title } = wish;
  const isStandalone = project === undefined;
  const projectId = isStandalone
    ? await defaultWorkspace(deps, caller)
    : (await requireProject(deps, caller, project, "chat.send")).id;
  const chat = await insertEmptyChat(deps, {
    id: newId(),
    userId: caller.userId,
    projectId,
    title: title ?? null,
    isTitled: title !== undefined,
    origin: isStandalone ? "standalone" : originOfCaller(caller),
  });
  return { ...chat, state: "active" };
}

/**
 * Id of the caller's default workspace, the project of chats that name none. Created with the first such chat; concurrent
 * calls create one.
 */
export async function defaultWorkspace(deps: { db: Db }, caller: Caller): Promise<string> {
  const teamId = caller.kind === "key" ? caller.teamId : null;
  const [found] = await defaultWorkspaceOf(deps.db, viewerOf(caller), teamId);
  // Refuses a key that is bound to other projects.
  if (found) return (await requireProject(deps, caller, found.id, "chat.send")).id;
  const wish = {
    name: "Workspace",
    description: "Chats about no project",
    sourceType: "empty",
    visibility: "private",
  } as const;
  const { id } = await createProject(deps, caller, wish);
  return (await settleDefaultWorkspace(deps.db, id, viewerOf(caller), teamId)) ?? id;
}
