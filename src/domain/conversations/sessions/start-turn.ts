import type { ReceivedMessage } from "#src/channels/channel.ts";
import { declineByMessage } from "#src/domain/agent-work/approvals/index.ts";
import type { Attached } from "#src/domain/agent-work/attachments/index.ts";
import { defaultWorkspace } from "#src/domain/agent-work/chats/index.ts";
import {
  startTask,
  type ChosenChat,
  type StartDeps,
  type StartedTask,
} from "#src/domain/agent-work/tasks/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import type { SessionKey } from "#src/domain/messaging/inbox/index.ts";
import { scopesOfRole, type Caller, type Scope } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import { namesMessage } from "./names-message.ts";
import { settleEvents, settleStarted, type Membership, type StoredEvent } from "./queries/events.ts";
import {
  answeredRun,
  archiveChat,
  recentMessages,
  upsertSession,
  type ContextMessage,
  type RunChat,
} from "./queries/sessions.ts";
import { readTurnMedia, type TurnMediaDeps } from "./turn-media.ts";

export type TurnDeps = StartDeps & TurnMediaDeps & { taskLogs: TaskLogs };

/** Messages that become one task, in their order. */
export interface Turn {
  channel: Channel;
  key: SessionKey;
  caller: Caller;
  person: Membership;
  batch: readonly { stored: StoredEvent; message: ReceivedMessage }[];
}

export interface StartedTurn extends StartedTask {
  sessionId: string;
}

/**
 * Starts the task of a turn in the session's chat, or in a new one when the session was idle, archived or moved to another
 * project. Undefined when there is nothing for the agent, because no file of the turn could be read; the person is told.
 * Idempotent: the task's id was chosen with the turn. Throws as `startTask` and `readTurnMedia` do.
 */
export async function startTurn(deps: TurnDeps, turn: Turn): Promise<StartedTurn | undefined> {
  const { channel, key, caller, batch } = turn;
  const newest = batch.at(-1);
  const taskId = batch[0]?.stored.taskId;
  if (!newest || !taskId) return undefined;
  const { place, sender } = newest.message;
  const { identityId } = turn.person;
  const isSameLink = turn.person.sessionIdentityId === identityId;
  const sessionId =
    (isSameLink ? turn.person.sessionId : null) ??
    (await upsertSession(deps.db, {
      key,
      userId: caller.userId,
      identityId,
      place,
      senderName: sender.name,
    }));
  const run = await runOf(deps, turn, newest.message);
  const projectId = run?.projectId ?? (await projectOf(deps, turn));
  const chosen = run
    ? ({ kind: "named", id: run.chatId } as const)
    : await chatOf(deps, turn, { sessionId, projectId });
  const read = await readTurnMedia(deps, {
    channel,
    caller,
    person: turn.person,
    batch,
    taskId,
    sessionId,
    projectId,
    chosen,
  });
  const last = read.batch.at(-1);
  if (!last) {
    await settleEvents(
      deps.db,
      batch.map(({ stored }) => stored.id),
    );
    return undefined;
  }
  const { messageId, replyTarget } = last.message;
  const { attachments } = read;
  const context = chosen.kind === "new" ? await contextOf(deps, turn, sessionId) : [];
  const started = await startTask(deps, {
    taskId,
    userId: caller.userId,
    apiKeyId: caller.kind === "key" ? caller.keyId : null,
    scopes: caller.kind === "key" ? caller.scopes : ownersScopes(turn.person),
    projectId,
    message: textOf(
      read.batch.map(({ message }) => message),
      attachments,
    ),
    agentId: channel.defaultAgentId ?? undefined,
    chat: read.chat,
    attachmentIds: attachments.flatMap((each) => each.attachment_id ?? []),
    messageMetadata: metadataOf(attachments, context),
    source: {
      kind: "channel",
      platform: channel.channelType,
      sessionId,
      messageId,
      replyTo: namesMessage(channel, place) ? messageId : undefined,
      replyTarget,
    },
  });
  const taken = new Map(read.batch.map(({ stored, message }) => [stored.id, message]));
  await settleStarted(deps.db, {
    channel,
    sessionId,
    chatId: started.chatId,
    taskId,
    messages: batch.map(({ stored, message }) => ({
      id: stored.id,
      message: taken.get(stored.id) ?? message,
    })),
  });
  // A key answers no question, and so its message waits for the answer.
  if (started.isBehind && caller.kind === "user")
    await declineByMessage(deps, { taskId, userId: caller.userId });
  return { ...started, sessionId };
}

/** The chat of a schedule's run that the message goes on in: the session is there, or the message answers its result. */
async function runOf(
  { db }: TurnDeps,
  { channel, caller, person }: Turn,
  { replyTo, place }: ReceivedMessage,
): Promise<RunChat | undefined> {
  const { chatId, projectId } = person;
  const inThread = chatId === null ? place.threadId : undefined;
  const messageIds = [replyTo?.id, inThread].flatMap((id) => id ?? []);
  const answered =
    messageIds.length === 0
      ? undefined
      : await answeredRun(db, { channelId: channel.id, userId: caller.userId, messageIds });
  if (answered) return answered;
  const isThere = person.isInRun && !person.isArchived && (!person.isIdle || person.isBusy);
  return isThere && chatId !== null && projectId !== null ? { chatId, projectId } : undefined;
}

/**
 * What a task may do through another person's channel: what the channel's owner may in its project, because the owner's word
 * is all that says who wrote. It makes no schedule, which would work on for the person after that word has lost its weight.
 * Null through an own channel, where the person's role alone counts.
 */
function ownersScopes({ channelOf, ownerRole }: Membership): readonly string[] | null {
  if (channelOf === "self") return null;
  return ownerRole === null ? [] : scopesOfRole(ownerRole).filter((scope) => scope !== SCHEDULING);
}

/** The permission by which an agent manages its person's schedules. */
const SCHEDULING: Scope = "project.edit";

/** The channel's project; a channel without one works in its owner's default workspace, and for nobody else. */
async function projectOf(deps: TurnDeps, { caller, person }: Turn): Promise<string> {
  if (person.channelProjectId !== null) return person.channelProjectId;
  if (person.channelOf !== "self") throw new AppError("invalid_input", WITHOUT_PROJECT);
  if (caller.kind === "key" && caller.projectIds?.[0] !== undefined) return caller.projectIds[0];
  if (person.chatId !== null && person.projectId !== null) return person.projectId;
  return defaultWorkspace(deps, caller);
}

async function chatOf(
  deps: TurnDeps,
  { person }: Turn,
  { sessionId, projectId }: { sessionId: string; projectId: string },
): Promise<ChosenChat> {
  const { chatId } = person;
  if (chatId === null) return { kind: "new" };
  const isOver = person.isArchived || person.projectId !== projectId || (person.isIdle && !person.isBusy);
  if (!isOver) return { kind: "named", id: chatId };
  await archiveChat(deps.db, { sessionId, chatId });
  return { kind: "new" };
}

/**
 * The last messages of the person's other chats, for the first message of a new one. None in a group, where others read
 * the reply, and none for a key that may not read all of the person's chats.
 */
async function contextOf(
  { db }: TurnDeps,
  { caller, batch }: Turn,
  sessionId: string,
): Promise<ContextMessage[]> {
  if (batch.at(-1)?.message.place.chatType !== "dm") return [];
  if (
    caller.kind === "key" &&
    (caller.projectIds !== null || caller.scopes?.includes("chat.view") === false)
  ) {
    return [];
  }
  return recentMessages(db, { userId: caller.userId, sessionId });
}

const WITHOUT_PROJECT =
  "This bot has no project, so it works for its owner alone. Ask its owner to choose a project for it.";

/** What the model reads besides the text; null for nothing. */
function metadataOf(attachments: readonly Attached[], context: readonly ContextMessage[]) {
  const metadata = {
    ...(attachments.length > 0 && { attachments }),
    ...(context.length > 0 && { channel: { context } }),
  };
  return Object.keys(metadata).length > 0 ? metadata : null;
}

/** The messages as one, with the text that each replies to. */
function textOf(messages: readonly ReceivedMessage[], attachments: readonly Attached[]): string {
  const texts = messages.map(({ text, replyTo }) =>
    replyTo === undefined || replyTo.text === "" ? text : `(In reply to: “${replyTo.text}”)\n${text}`.trim(),
  );
  const text = texts.filter((each) => each !== "").join("\n\n");
  if (text !== "") return text;
  const names = attachments.flatMap(({ label }) => label ?? []);
  return names.length === 0 ? "(A message without text.)" : `(Sent without text: ${names.join(", ")})`;
}

/** Why no task was started, as a sentence for the person; undefined for a failure that passes. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  if (error.code === "not_found" || error.code === "forbidden") {
    return "You have no access to the project or the agent of this channel. Ask its owner to add you to the project.";
  }
  return error.retryable ? undefined : error.message;
}
