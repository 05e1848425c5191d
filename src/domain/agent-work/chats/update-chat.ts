import type { Caller } from "#src/domain/access/permissions/index.ts";
import { checkModelId } from "#src/domain/models/model-keys/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { defaultWorkspace } from "./create-chat.ts";
import { updateChatRow, type Chat, type ChatChange, type ChatView } from "./queries/chats.ts";
import { requireChat } from "./require-chat.ts";

/**
 * Changes one of the caller's chats. Throws as `requireChat` does, `not_found` for an agent that its team cannot use, and
 * `invalid_input` as `checkModelId` does.
 */
export async function updateChat(
  deps: { db: Db; modelSettings: ModelSettings },
  caller: Caller,
  id: string,
  change: Pick<ChatChange, "title" | "status" | "agentId" | "model" | "editMode">,
): Promise<ChatView> {
  const chat = await requireChat(deps, caller, id, "chat.send");
  if (change.model) checkModelId(deps.modelSettings, change.model);
  const isTitled = change.title === undefined ? undefined : change.title !== null;
  const changed = await updateChatRow(deps.db, id, { ...change, isTitled });
  if (!changed) throw new AppError("not_found", change.agentId ? "Agent not found" : "Chat not found");
  const state =
    changed.status === "archived" ? "archived" : chat.state === "archived" ? "active" : chat.state;
  return { ...changed, state };
}

/**
 * Moves a chat to another project, or to the caller's default workspace. Its attachments stay in the old project, and the
 * tools that were allowed for the whole chat are reset. The origin of a chat that people use changes with the move; that of
 * a program's or a platform's chat does not. Throws as `requireChat` and `requireProject` do, and `conflict` while a task
 * runs in the chat.
 */
export async function moveChat(
  deps: { db: Db },
  caller: Caller,
  id: string,
  project: string | null,
): Promise<Chat> {
  const chat = await requireChat(deps, caller, id, "chat.send");
  const { state } = chat;
  if (state === "running" || state === "waiting_approval") {
    throw new AppError("conflict", "The agent is working in this chat: stop it, or wait until it ends");
  }
  const projectId =
    project === null
      ? await defaultWorkspace(deps, caller)
      : (await requireProject(deps, caller, project, "chat.send")).id;
  // The allowed tools were approved by people of the old project, for that project.
  const allowedTools = projectId === chat.projectId ? undefined : [];
  const moved = await updateChatRow(deps.db, id, {
    projectId,
    allowedTools,
    origin: originAfter(chat, project),
  });
  if (!moved) throw new AppError("not_found", "Chat not found");
  return moved;
}

function originAfter({ origin }: Chat, project: string | null): Chat["origin"] {
  if (origin !== "browser" && origin !== "standalone") return origin;
  return project === null ? "standalone" : "browser";
}
