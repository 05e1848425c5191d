import { requireKeyProject, type Caller } from "#src/domain/access/index.ts";
import { requireProject } from "#src/domain/projects/index.ts";
import {
  startTask,
  type ChosenChat,
  type EditMode,
  type Origin,
  type StartDeps,
  type StartedTask,
} from "#src/domain/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { defaultWorkspace, originOf } from "./create-chat.ts";
import { insertChat, latestChat, type Chat } from "./queries/chats.ts";
import { requireChat } from "./require-chat.ts";

/** A message to the agent, as a chat client sends it. */
export interface ChatWish {
  /** Id or slug; that of the chat when absent, or the caller's default workspace. */
  project: string | undefined;
  /** The chat last used in the project when absent, or a new one. */
  chatId: string | undefined;
  message: string;
  agentId: string | undefined;
  model?: string | undefined;
  editMode?: EditMode | undefined;
  /** What holds where neither the request nor the chat says anything; that of the origin when absent. */
  editModeOtherwise?: EditMode | undefined;
  maxIterations?: number | undefined;
  attachmentIds?: readonly string[];
  messageMetadata?: Readonly<Record<string, unknown>> | null;
}

/**
 * Send a message, as a person or a program that has a key. One query besides those of `startTask` where the project is not named
 * by its id, none where it is. Throws as `startTask`, `requireProject` and `requireChat` do.
 */
export async function sendMessage(deps: StartDeps, caller: Caller, wish: ChatWish): Promise<StartedTask> {
  const { projectId, chat, origin } = await placeOf(deps, caller, wish);
  const isKey = caller.kind === "key";
  return startTask(deps, {
    userId: caller.userId,
    isSuperuser: !isKey && caller.isSuperuser,
    teamId: isKey ? caller.teamId : null,
    apiKeyId: isKey ? caller.keyId : null,
    scopes: isKey ? caller.scopes : null,
    projectId,
    message: wish.message,
    agentId: wish.agentId,
    model: wish.model,
    editMode: wish.editMode,
    editModeOtherwise: wish.editModeOtherwise,
    maxIterations: wish.maxIterations,
    chat,
    attachmentIds: wish.attachmentIds ?? [],
    messageMetadata: wish.messageMetadata ?? null,
    webhookUrl: undefined,
    origin,
    idempotencyKey: undefined,
  });
}

interface Place {
  projectId: string;
  chat: ChosenChat;
  origin: Origin;
}

/** The project and the chat a message goes to. Ids are checked where the task is written. */
async function placeOf(
  deps: { db: Db },
  caller: Caller,
  { project, chatId }: Pick<ChatWish, "project" | "chatId">,
): Promise<Place> {
  const origin = originOf(caller);
  const chat: ChosenChat = chatId === undefined ? { kind: "latest" } : { kind: "named", id: chatId };
  if (project !== undefined) {
    if (!isId(project)) {
      return { projectId: (await requireProject(deps, caller, project, "chat.send")).id, chat, origin };
    }
    requireKeyProject(caller, project);
    return { projectId: project, chat, origin };
  }
  if (chatId !== undefined) {
    const { projectId } = await requireChat(deps, caller, chatId, "chat.send");
    return { projectId, chat, origin };
  }
  return { projectId: await defaultWorkspace(deps, caller), chat, origin: "standalone" };
}

/** The chat a message goes to, made where there is none: for what must be stored beside it before it is sent. */
export async function chatFor(
  deps: { db: Db },
  caller: Caller,
  wish: Pick<ChatWish, "project" | "chatId">,
): Promise<Chat> {
  const { projectId, chat, origin } = await placeOf(deps, caller, wish);
  if (chat.kind === "named") {
    const found = await requireChat(deps, caller, chat.id, "chat.send");
    if (found.projectId !== projectId) throw new AppError("not_found", "Chat not found");
    return found;
  }
  const { id } = await requireProject(deps, caller, projectId, "chat.send");
  const latest = await latestChat(deps.db, caller.userId, id, origin);
  return latest ?? insertChat(deps.db, { id: newId(), userId: caller.userId, projectId: id, origin });
}
