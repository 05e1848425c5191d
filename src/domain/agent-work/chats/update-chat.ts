import type { Caller } from "#src/domain/access/permissions/index.ts";
import { checkModelId } from "#src/domain/models/model-keys/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { stopTasksOfChat } from "./active-tasks.ts";
import { defaultWorkspace } from "./create-chat.ts";
import { updateChatRow, type Chat, type ChatChange, type ChatView } from "./queries/chats.ts";
import { isBusy, requireChatToManage, requireOwnChat } from "./require-chat.ts";

/**
 * Changes a chat: its owner all of it, an administrator of its project the title, whether it is archived, and whether it is
 * shared. A chat that is no longer shared has the unfinished tasks of other people stopped. Throws as `requireChatToManage`
 * and `requireOwnChat` do, `not_found` for an agent that its team cannot use, and `invalid_input` as `checkModelId` does.
 */
export async function updateChat(
  deps: FinishDeps & { modelSettings: ModelSettings },
  caller: Caller,
  id: string,
  change: Pick<ChatChange, "title" | "status" | "agentId" | "model" | "editMode" | "isShared">,
): Promise<ChatView> {
  const isOfOwner = [change.agentId, change.model, change.editMode].some((each) => each !== undefined);
  const require = isOfOwner ? requireOwnChat : requireChatToManage;
  const chat = await require(deps, caller, id, "chat.send");
  if (change.model) checkModelId(deps.modelSettings, change.model);
  const isTitled = change.title === undefined ? undefined : change.title !== null;
  const changed = await updateChatRow(deps.db, id, { ...change, isTitled });
  if (!changed) throw new AppError("not_found", change.agentId ? "Agent not found" : "Chat not found");
  // Also where it was private already: the request may repeat one that ended half way.
  if (change.isShared === false) await stopTasksOfChat(deps, chat, { notOf: chat.userId });
  const state =
    changed.status === "archived" ? "archived" : chat.state === "archived" ? "active" : chat.state;
  return { ...changed, state };
}

/**
 * Moves a chat to another project, or to the caller's default workspace. Its attachments stay in the old project, and the
 * tools that were allowed for the whole chat are reset. A shared chat is private again: it was shared with the people of the old
 * project. The origin of a chat that people use changes with the move; that of
 * a program's or a platform's chat does not. Throws as `requireOwnChat` and `requireProject` do, and `conflict` while a task
 * runs in the chat.
 */
export async function moveChat(
  deps: { db: Db },
  caller: Caller,
  id: string,
  project: string | null,
): Promise<Chat> {
  const chat = await requireOwnChat(deps, caller, id, "chat.send");
  if (isBusy(chat)) {
    throw new AppError("conflict", "The agent is working in this chat: stop it, or wait until it ends");
  }
  const projectId =
    project === null
      ? await defaultWorkspace(deps, caller)
      : (await requireProject(deps, caller, project, "chat.send")).id;
  // The allowed tools were approved by people of the old project, for that project.
  const isSame = projectId === chat.projectId;
  const moved = await updateChatRow(deps.db, id, {
    projectId,
    allowedTools: isSame ? undefined : [],
    isShared: isSame ? undefined : false,
    origin: originAfter(chat, project),
  });
  if (!moved) throw new AppError("not_found", "Chat not found");
  return moved;
}

function originAfter({ origin }: Chat, project: string | null): Chat["origin"] {
  if (origin !== "browser" && origin !== "standalone") return origin;
  return project === null ? "standalone" : "browser";
}
