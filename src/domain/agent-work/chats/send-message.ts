import { requireKeyProject, type Caller } from "#src/domain/access/permissions/index.ts";
import { declineByMessage } from "#src/domain/agent-work/approvals/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import {
  findWaiting,
  repeatedTask,
  startTask,
  type ChosenChat,
  type EditMode,
  type RefusedQuestion,
  type StartDeps,
  type StartedTask,
  type StartTask,
  type Waiting,
} from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import { defaultWorkspace, originOfCaller } from "./create-chat.ts";
import { insertChat, latestChat, type Chat } from "./queries/chats.ts";
import { requireChat } from "./require-chat.ts";

/** A message to the agent, as a chat client sends it. */
export interface ChatInput {
  /** Id or slug of the project. When absent, the project of the chat, or the caller's default workspace. */
  project: string | undefined;
  /** When absent, the chat last used in the project, or a new one. */
  chatId: string | undefined;
  message: string;
  agentId: string | undefined;
  model?: string | undefined;
  editMode?: EditMode | undefined;
  /** The mode when neither the request nor the chat sets one. When absent, the default of the task's source. */
  editModeOtherwise?: EditMode | undefined;
  maxIterations?: number | undefined;
  attachmentIds?: readonly string[];
  messageMetadata?: Readonly<Record<string, unknown>> | null;
  /** A message with a key that its sender used in the last 24 hours is not sent. The first answer is returned. */
  idempotencyKey?: string | undefined;
  /** The client's request as text. Another request with the same key must have the same text; see `StartTask`. */
  request?: string | undefined;
}

export type SendDeps = StartDeps & { taskLogs: TaskLogs };

/** An accepted message. */
export interface SentMessage extends StartedTask {
  /** What the message waits for. Null if its task is the head of the chat and may run. */
  waiting: Waiting | null;
  /** An approval that the message denied; undefined if it denied none. */
  refused: RefusedQuestion | undefined;
}

/**
 * Sends a message for a person or for an API key. If the chat's agent waits for an approval, a person's message denies the
 * approval. A program's message waits, because programs cannot answer approvals.
 *
 * Queries, besides those of `startTask`: one to find the project unless its id is given, and up to two for a message that
 * waits. Throws as `startTask`, `requireProject` and `requireChat` do.
 */
export async function sendMessage(deps: SendDeps, caller: Caller, input: ChatInput): Promise<SentMessage> {
  const task = taskOf(caller, input, await placeOf(deps, caller, input));
  return accepted(deps, caller, await startFor(deps, caller, task));
}

/**
 * Starts a task. An administrator of the installation first tries it with the rights of a member. If they do not suffice,
 * `requireProject` records the act, and the task starts with the rights of an administrator.
 */
async function startFor(deps: SendDeps, caller: Caller, task: StartTask): Promise<StartedTask> {
  if (!task.isSuperuser) return startTask(deps, task);
  try {
    return await startTask(deps, { ...task, isSuperuser: false });
  } catch (error) {
    if (!(error instanceof AppError) || !["not_found", "forbidden"].includes(error.code)) throw error;
    await requireProject(deps, caller, task.projectId, "chat.send");
    return startTask(deps, task);
  }
}

/**
 * Returns the answer to an earlier message with the same idempotency key; undefined if there was none. Throws `invalid_body`
 * if the earlier message was different.
 */
export async function sentBefore(
  deps: SendDeps,
  caller: Caller,
  input: ChatInput,
): Promise<SentMessage | undefined> {
  if (input.idempotencyKey === undefined) return undefined;
  const repeated = await repeatedTask(deps, taskOf(caller, input, await placeOf(deps, caller, input)));
  return repeated && accepted(deps, caller, repeated);
}

function taskOf(caller: Caller, input: ChatInput, { projectId, chat, origin }: Place): StartTask {
  const isKey = caller.kind === "key";
  const { idempotencyKey: key } = input;
  return {
    userId: caller.userId,
    isSuperuser: !isKey && caller.isSuperuser,
    apiKeyId: isKey ? caller.keyId : null,
    scopes: isKey ? caller.scopes : null,
    projectId,
    message: input.message,
    agentId: input.agentId,
    model: input.model,
    editMode: input.editMode,
    // A program cannot answer approvals, whatever the source of the chat.
    editModeOtherwise: input.editModeOtherwise ?? (isKey ? "allow" : undefined),
    maxIterations: input.maxIterations,
    chat,
    ...(input.attachmentIds && { attachmentIds: input.attachmentIds }),
    messageMetadata: input.messageMetadata ?? null,
    source: { kind: origin, idempotency: key === undefined ? undefined : { key, request: input.request } },
  };
}

async function accepted(deps: SendDeps, caller: Caller, started: StartedTask): Promise<SentMessage> {
  if (!started.isBehind) return { ...started, waiting: null, refused: undefined };
  const { taskId } = started;
  const isKey = caller.kind === "key";
  const refused = isKey ? undefined : await declineByMessage(deps, { taskId, userId: caller.userId });
  return { ...started, refused, waiting: await findWaiting(deps.db, taskId) };
}

interface Place {
  projectId: string;
  chat: ChosenChat;
  /** Which of the service's own interfaces the message came through. */
  origin: "api" | "browser" | "standalone";
}

/** Returns the project and the chat that a message goes to. `startTask` checks the caller's rights on a given id. */
async function placeOf(
  deps: { db: Db },
  caller: Caller,
  { project, chatId }: Pick<ChatInput, "project" | "chatId">,
): Promise<Place> {
  const origin = originOfCaller(caller);
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

/**
 * Returns the chat that a message goes to, and creates it if it is missing. For data that must be stored with the chat before
 * the message is sent.
 */
export async function chatFor(
  deps: { db: Db },
  caller: Caller,
  input: Pick<ChatInput, "project" | "chatId">,
): Promise<Chat> {
  const { projectId, chat, origin } = await placeOf(deps, caller, input);
  if (chat.kind === "named") {
    const found = await requireChat(deps, caller, chat.id, "chat.send");
    if (found.projectId !== projectId) throw new AppError("not_found", "Chat not found");
    return found;
  }
  const { id } = await requireProject(deps, caller, projectId, "chat.send");
  const latest = await latestChat(deps.db, caller.userId, id, origin);
  return latest ?? insertChat(deps.db, { id: newId(), userId: caller.userId, projectId: id, origin });
}
