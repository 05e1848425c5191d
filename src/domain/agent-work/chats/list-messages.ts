import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { isTerminal, ShortTurn, type Results, type Task } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { originOfCaller } from "./create-chat.ts";
import { latestChat } from "./queries/chats.ts";
import { newestMessages, turnsOfTasks, type MessagePlace, type MessageRow } from "./queries/messages.ts";
import { requireChat } from "./require-chat.ts";

/** Default number of messages of one chat, and of tasks whose turns are included. */
const SHOWN_MESSAGES = 1000;
const TASKS_WITH_TURNS = 50;

/** A message with the agent's work for it. */
export interface ChatMessage {
  id: string;
  chatId: string;
  role: "user" | "assistant";
  content: string;
  /** Data that was stored with the message. */
  metadata: Record<string, unknown> | null;
  createdAt: Date;
  /** Who wrote a question; null for an answer, and for a question of an account that is gone. */
  author: { id: string; name: string } | null;
  /** Of an answer; null for a question. */
  run: Run | null;
}

export interface Run {
  task: Task;
  /** Slug of the agent. */
  agent: string | null;
  /** Hash of the snapshot from before the first change. */
  checkpoint: string | null;
  /** Credits that its model calls cost, and the model of the last turn; null before the first call. */
  spent: { credits: number; model: string | null } | null;
  /** Whether the answer is in progress: the message is a placeholder for it. */
  inProgress: boolean;
  /** Its turns; none when they were not requested. */
  turns: ShortTurn[];
}

/** Selects messages of a chat: the newest, or the newest before a position; at most `limit`. */
export interface MessageInput {
  limit?: number | undefined;
  before?: MessagePlace | undefined;
  /** How the turns are shown; by default whole. */
  results?: Results | undefined;
}

/** Messages, oldest first, and the cursor of the page before them; none when they begin the chat. */
export interface MessagePage {
  messages: ChatMessage[];
  earlier: MessagePlace | undefined;
}

/** Lists the messages of a chat that the caller may read. Throws as `requireChat` does. */
export async function listMessages(
  deps: { db: Db },
  caller: Caller,
  chatId: string,
  input: MessageInput = {},
): Promise<MessagePage> {
  const { id } = await requireChat(deps, caller, chatId, "chat.view");
  return messagesOfChat(deps.db, id, input);
}

/** As `listMessages`, for a project's named chat or the one last used; empty when there is none. */
export async function listMessagesOfProject(
  deps: { db: Db },
  caller: Caller,
  of: { project: string; chatId: string | undefined },
  input: MessageInput = {},
): Promise<MessagePage> {
  const { id: projectId } = await requireProject(deps, caller, of.project, "chat.view");
  const chat = of.chatId
    ? await requireChat(deps, caller, of.chatId, "chat.view")
    : await latestChat(deps.db, caller.userId, projectId, originOfCaller(caller));
  if (!chat) return { messages: [], earlier: undefined };
  if (chat.projectId !== projectId) throw new AppError("not_found", "Chat not found");
  return messagesOfChat(deps.db, chat.id, input);
}

/** The newest messages of several chats, by the chat, without the agent's turns. */
export async function messagesOfChats(
  db: Db,
  chatIds: readonly string[],
  perChat: number,
): Promise<Map<string, ChatMessage[]>> {
  if (chatIds.length === 0) return new Map();
  const shown = withPlaceholders(await newestMessages(db, chatIds, perChat), new Map());
  return Map.groupBy(shown, ({ chatId }) => chatId);
}

async function messagesOfChat(
  db: Db,
  chatId: string,
  { limit = SHOWN_MESSAGES, before, results }: MessageInput,
): Promise<MessagePage> {
  const rows = await newestMessages(db, [chatId], limit, before);
  const taskIds = [...new Set(rows.flatMap(({ task }) => task?.id ?? []))].slice(-TASKS_WITH_TURNS);
  const stored = taskIds.length > 0 ? await turnsOfTasks(db, taskIds, results) : [];
  const turns = new Map<string, ShortTurn[]>();
  for (const { taskId, turnData } of stored) {
    turns.set(taskId, [...(turns.get(taskId) ?? []), ShortTurn.parse(turnData)]);
  }
  const first = rows.length === limit ? rows[0]?.message : undefined;
  return { messages: withPlaceholders(rows, turns), earlier: first && { seq: first.seq, role: first.role } };
}

/** A message without an answer is followed by a placeholder for the answer. */
function withPlaceholders(
  rows: readonly MessageRow[],
  turns: ReadonlyMap<string, ShortTurn[]>,
): ChatMessage[] {
  return rows.flatMap((row): ChatMessage[] => {
    const { message, task } = row;
    const { id, chatId, role, content, messageMetadata: metadata, createdAt } = message;
    const run = task && runOf(row, task, turns.get(task.id) ?? []);
    const shown = { id, chatId, role, content, metadata: shownMetadata(metadata), createdAt, author: null };
    if (role === "assistant") return [{ ...shown, run }];
    const asked = { ...shown, author: row.author, run: null };
    if (!task || !run?.inProgress) return [asked];
    const answer = {
      id: task.id,
      chatId,
      role: "assistant",
      content: "",
      metadata: null,
      createdAt: task.createdAt,
      author: null,
      run,
    } as const;
    return [asked, answer];
  });
}

/** Without what only the agent and the platform of a message read. */
function shownMetadata(metadata: MessageRow["message"]["messageMetadata"]) {
  if (!metadata || !("channel" in metadata)) return metadata;
  const { channel: _, ...shown } = metadata;
  return Object.keys(shown).length > 0 ? shown : null;
}

function runOf({ agent, checkpoint, spent }: MessageRow, task: Task, turns: ShortTurn[]): Run {
  return { task, agent, checkpoint, spent, inProgress: !isTerminal(task.status), turns };
}
