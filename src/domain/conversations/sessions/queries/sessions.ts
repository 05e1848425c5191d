import { and, eq, inArray, sql } from "drizzle-orm";
import {
  approvals,
  channelConfigs,
  channelMessages,
  channelSessions,
  chats,
  tasks,
} from "#src/db/schema/index.ts";
import type { Place } from "#src/channels/channel.ts";
import { carries } from "#src/domain/messaging/identities/index.ts";
import type { SessionKey } from "#src/domain/messaging/inbox/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Creates or reads a person's session at a place. Returns its id. */
export async function upsertSession(
  db: Db,
  {
    key,
    userId,
    identityId,
    place,
    senderName,
  }: { key: SessionKey; userId: string; identityId: string | null; place: Place; senderName: string },
): Promise<string> {
  const [row] = await db
    .insert(channelSessions)
    .values({
      id: newId(),
      channelConfigId: key.channelId,
      sessionKey: key.sessionKey,
      userId,
      platformChatId: place.chatId,
      platformChatType: place.chatType,
      platformThreadId: place.threadId ?? null,
      senderId: key.senderId,
      senderName,
      identityId,
      lastActiveAt: sql`now()`,
    })
    .onConflictDoUpdate({
      target: [channelSessions.channelConfigId, channelSessions.sessionKey, channelSessions.userId],
      set: { senderName, senderId: key.senderId, identityId },
    })
    .returning({ id: channelSessions.id });
  if (!row) throw new Error("The session was not stored");
  return row.id;
}

/**
 * Begins a session's chat before its first task, so that the files of the message can be stored in it. Idempotent. The
 * session counts as active from then on, so that another attempt continues in the same chat.
 */
export async function openChat(
  db: Db,
  sessionId: string,
  chat: { id: string; userId: string; projectId: string; title: string; origin: string },
): Promise<void> {
  await db.batch([
    db.insert(chats).values(chat).onConflictDoNothing({ target: chats.id }),
    db
      .update(channelSessions)
      .set({ chatId: chat.id, lastActiveAt: sql`now()` })
      .where(eq(channelSessions.id, sessionId)),
  ]);
}

/** A message from another chat of the person. */
export interface ContextMessage extends Record<string, unknown> {
  platform: string;
  role: "user" | "assistant";
  text: string;
}

/** Limits of what a new chat learns from others: chats, messages of each, characters of each message, and age. */
const CONTEXT = { chats: 3, messages: 2, chars: 500, hours: 24 };

/**
 * Returns the last messages of a person's other chats on platforms, if they were active within a day and the person can still
 * see their projects. The chat that was active last comes at the end.
 *
 * If the session is in another person's channel, only chats through channels of the same owner count. The owner can read
 * what this session is told, and has read those chats already.
 */
export async function recentMessages(
  db: Db,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<ContextMessage[]> {
  const result = await db.execute<ContextMessage>(sql`
    SELECT chat.platform, last.role, last.text
    FROM (
      SELECT c.id, min(config.channel_type) AS platform, max(s.last_active_at) AS active_at
      FROM channel_sessions s
      JOIN channel_configs config ON config.id = s.channel_config_id
      JOIN channel_sessions at ON at.id = ${sessionId}::uuid
      JOIN channel_configs here ON here.id = at.channel_config_id
      JOIN chats c ON c.id = s.chat_id
      JOIN projects ON projects.id = c.project_id
      WHERE s.user_id = ${userId}::uuid AND s.id <> ${sessionId}::uuid
        AND s.last_active_at > now() - make_interval(hours => ${CONTEXT.hours})
        AND (here.user_id = s.user_id OR here.user_id = config.user_id)
        AND c.user_id = s.user_id AND c.status <> 'archived'
        AND ${roleInProject({ userId, isSuperuser: false })} IS NOT NULL
      GROUP BY c.id
      ORDER BY active_at DESC
      LIMIT ${CONTEXT.chats}
    ) AS chat
    CROSS JOIN LATERAL (
      -- Question and answer share a sequence number.
      SELECT m.seq, m.role, left(m.content, ${CONTEXT.chars}) AS text FROM messages m
      WHERE m.chat_id = chat.id AND m.content <> ''
      ORDER BY m.seq DESC, m.role
      LIMIT ${CONTEXT.messages}
    ) AS last
    ORDER BY chat.active_at, chat.id, last.seq, last.role DESC`);
  return result.rows;
}

/** Archives a session's chat. The next message begins another chat. */
export async function archiveChat(db: Db, { sessionId, chatId }: { sessionId: string; chatId: string }) {
  await db.batch([
    db.update(chats).set({ status: "archived" }).where(eq(chats.id, chatId)),
    db
      .update(channelSessions)
      .set({ chatId: null })
      .where(and(eq(channelSessions.id, sessionId), eq(channelSessions.chatId, chatId))),
  ]);
}

/**
 * Makes a chat the home of a person on a platform, and removes the person's earlier homes there. A home in another person's
 * channel does not remove a home in the person's own channel: the other owner may have forged the request.
 */
export async function setHome(
  db: Db,
  { userId, identityId }: { userId: string; identityId: string },
  { channelId, place }: { channelId: string; place: Place },
): Promise<void> {
  await db.execute(sql`
    UPDATE platform_identities SET
      home_channel_config_id = CASE WHEN id = ${identityId}::uuid THEN ${channelId}::uuid END,
      home_chat_id = CASE WHEN id = ${identityId}::uuid THEN ${place.chatId}::text END,
      home_thread_id = CASE WHEN id = ${identityId}::uuid THEN ${place.threadId ?? null}::text END
    WHERE user_id = ${userId}::uuid
      AND platform = (SELECT platform FROM platform_identities WHERE id = ${identityId}::uuid)
      AND (id = ${identityId}::uuid
        OR home_channel_config_id IS NULL
        OR ${channelId}::uuid IN (SELECT own.id FROM channel_configs AS own WHERE own.user_id = ${userId}::uuid)
        OR home_channel_config_id NOT IN (SELECT own.id FROM channel_configs AS own WHERE own.user_id = ${userId}::uuid))`);
}

/**
 * Returns those of the approvals that were asked in this channel, and whose project the channel may still carry to this
 * person. A channel's owner can forge clicks, and must not answer any other approval with them.
 */
export async function askedIn(
  db: Db,
  { channelId, userId }: { channelId: string; userId: string },
  approvalIds: readonly string[],
): Promise<string[]> {
  const ids = approvalIds.filter(isId);
  if (ids.length === 0) return [];
  const rows = await db
    .select({ id: approvals.id })
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .innerJoin(channelMessages, eq(channelMessages.occasion, sql`'approval:' || ${approvals.id}`))
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelMessages.channelConfigId))
    .where(
      and(
        inArray(approvals.id, ids),
        eq(channelConfigs.id, channelId),
        carries(userId, sql`${tasks.projectId}`),
      ),
    );
  return rows.map(({ id }) => id);
}

/** What the commands `/status` and `/whoami` answer. */
interface SessionState extends Record<string, unknown> {
  email: string;
  project: string | null;
  agent: string | null;
  task: string | null;
  /** Of the oldest question that is open; `server` of one that a server asks. */
  tool: string | null;
  server: string | null;
}

/** Reads the state of a session. */
export async function describeSession(
  db: Db,
  { userId, chatId }: { userId: string; chatId: string | null },
): Promise<SessionState | undefined> {
  const result = await db.execute<SessionState>(sql`
    SELECT u.email, p.name AS project, a.name AS agent, t.message AS task, q.tool, q.server
    FROM users u
    LEFT JOIN chats c ON c.id = ${chatId}::uuid AND c.user_id = u.id
    LEFT JOIN projects p ON p.id = c.project_id
    LEFT JOIN tasks t ON t.id = c.unfinished_tasks[1] AND t.status IN ('queued', 'running')
    LEFT JOIN agents a ON a.id = coalesce(t.agent_id, c.agent_id)
    LEFT JOIN LATERAL (SELECT tool, asked ->> 'server' AS server FROM approvals WHERE task_id = t.id AND response IS NULL AND expires_at > now()
      ORDER BY id LIMIT 1) AS q ON true
    WHERE u.id = ${userId}::uuid`);
  return result.rows[0];
}

/** The chat of a schedule's run, and its project. */
export interface RunChat extends Record<string, unknown> {
  chatId: string;
  projectId: string;
}

/**
 * Finds the run of a schedule whose result the person answers, and returns the run's chat. The task must be the person's own,
 * and the channel must still carry messages about its project.
 */
export async function answeredRun(
  db: Db,
  { channelId, userId, messageIds }: { channelId: string; userId: string; messageIds: readonly string[] },
): Promise<RunChat | undefined> {
  const [found] = await db
    .select({ chatId: chats.id, projectId: chats.projectId })
    .from(channelMessages)
    .innerJoin(tasks, eq(tasks.id, channelMessages.taskId))
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelMessages.channelConfigId))
    .where(
      and(
        eq(channelMessages.channelConfigId, channelId),
        carries(userId, sql`${chats.projectId}`),
        eq(channelMessages.direction, "outbound"),
        inArray(channelMessages.platformMessageId, [...messageIds]),
        eq(tasks.userId, userId),
        eq(tasks.origin, "schedule"),
      ),
    )
    .limit(1);
  return found;
}
