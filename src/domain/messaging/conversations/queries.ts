import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import {
  approvals,
  channelConfigs,
  channelEvents,
  channelMessages,
  channelSessions,
  chats,
  platformIdentities,
  tasks,
} from "#src/db/schema/index.ts";
import type { Place, ReceivedMessage } from "#src/channels/channel.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { jidOf, type SessionKey } from "#src/domain/messaging/inbox/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export type StoredEvent = typeof channelEvents.$inferSelect;

/** The person behind a session, and the session as far as it exists. */
export interface Standing {
  userId: string;
  /** Null at the command line, whose API key is the identity. */
  identityId: string | null;
  sessionId: string | null;
  /** The session's chat, unless it was deleted. */
  chatId: string | null;
  projectId: string | null;
  isArchived: boolean;
  /** Whether the session was not used for longer than it is held. */
  isIdle: boolean;
  /** Whether a task of the chat is unfinished. */
  isBusy: boolean;
  /** Whether such a task waits for an approval. */
  isAsking: boolean;
  startedAt: string | null;
}

export interface OpenConversation {
  /** Undefined once the channel is deleted. */
  channel: Channel | undefined;
  /** In their order. */
  events: StoredEvent[];
  /** Undefined for a person who is not linked to an active user. */
  person: Standing | undefined;
}

/** Most events that one advance of a session reads. */
const READ = 100;

const openEvents = ({ channelId, sessionKey, senderId }: SessionKey) =>
  and(
    eq(channelEvents.channelConfigId, channelId),
    eq(channelEvents.sessionKey, sessionKey),
    eq(channelEvents.senderId, senderId),
    isNull(channelEvents.handledAt),
  );

/** Reads everything that decides what becomes of a session's events, in one round trip. */
export async function openConversation(
  db: Db,
  key: SessionKey,
  { idleMinutes }: { idleMinutes: number },
): Promise<OpenConversation> {
  const { channelId, sessionKey, senderId } = key;
  const [channels, events, people] = await db.batch([
    db
      .select()
      .from(channelConfigs)
      .where(and(eq(channelConfigs.id, channelId), channelConfigs.isActive)),
    db.select().from(channelEvents).where(openEvents(key)).orderBy(asc(channelEvents.id)).limit(READ),
    db.execute<Standing & Record<string, unknown>>(sql`
      WITH person AS (
        SELECT u.id AS user_id, i.id AS identity_id FROM platform_identities i JOIN users u ON u.id = i.user_id
        WHERE u.is_active AND i.is_verified
          AND i.platform = (SELECT channel_type FROM channel_configs WHERE id = ${channelId}::uuid)
          AND (i.platform_user_id = ${senderId}::text OR i.platform_user_id IN (
            SELECT e.event #>> '{sender,alternateId}' FROM channel_events e
            WHERE e.channel_config_id = ${channelId}::uuid AND e.session_key = ${sessionKey}::text
              AND e.sender_id = ${senderId}::text AND e.handled_at IS NULL))
        UNION ALL
        SELECT u.id, NULL FROM users u
        WHERE u.is_active AND u.id::text = ${senderId}::text
          AND (SELECT channel_type FROM channel_configs WHERE id = ${channelId}::uuid) = 'cli'
        LIMIT 1
      )
      SELECT person.user_id AS "userId", person.identity_id AS "identityId", s.id AS "sessionId", s.chat_id AS "chatId",
        c.project_id AS "projectId", coalesce(c.status = 'archived', false) AS "isArchived", c.created_at AS "startedAt",
        coalesce(s.last_active_at < now() - make_interval(mins => coalesce(s.idle_timeout_minutes, ${idleMinutes}::int)),
          false) AS "isIdle",
        coalesce(c.unfinished_tasks <> '{}', false) AS "isBusy",
        EXISTS (SELECT 1 FROM approvals a JOIN tasks t ON t.id = a.task_id
          WHERE t.id = ANY (c.unfinished_tasks) AND t.status = 'running' AND a.response IS NULL AND a.expires_at > now())
          AS "isAsking"
      FROM person
      LEFT JOIN channel_sessions s ON s.channel_config_id = ${channelId}::uuid AND s.session_key = ${sessionKey}::text
        AND s.user_id = person.user_id
      LEFT JOIN chats c ON c.id = s.chat_id`),
  ]);
  return { channel: channels[0], events, person: people.rows[0] };
}

/** Marks events as handled and forgets what they said. */
export async function settleEvents(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .update(channelEvents)
    .set({ handledAt: sql`now()`, event: null })
    .where(inArray(channelEvents.id, [...ids]));
}

/**
 * Makes events the message of one task, whose id is that of the first one. Returns the events of that task: when an earlier
 * attempt chose some and died, those and no others.
 */
export async function claimEvents(db: Db, key: SessionKey, ids: readonly string[]): Promise<StoredEvent[]> {
  // An earlier advance may have handled some of them in the meantime.
  const first = sql`(SELECT f.id FROM channel_events f
    WHERE f.id IN (${sql.join(
      ids.map((id) => sql`${id}::uuid`),
      sql`, `,
    )}) AND f.handled_at IS NULL ORDER BY f.id LIMIT 1)`;
  const [, , claimed] = await db.batch([
    // Two advances of one session choose one after the other.
    lockNames(db, [`channel-session:${key.channelId}:${key.sessionKey}:${key.senderId}`]),
    db
      .update(channelEvents)
      .set({ taskId: first })
      .where(
        and(
          openEvents(key),
          inArray(channelEvents.id, [...ids]),
          sql`NOT EXISTS (SELECT 1 FROM channel_events o WHERE o.channel_config_id = ${key.channelId}::uuid
            AND o.session_key = ${key.sessionKey}::text AND o.sender_id = ${key.senderId}::text
            AND o.handled_at IS NULL AND o.task_id IS NOT NULL)`,
        ),
      ),
    db
      .select()
      .from(channelEvents)
      .where(and(openEvents(key), sql`${channelEvents.taskId} IS NOT NULL`))
      .orderBy(asc(channelEvents.id)),
  ]);
  return claimed;
}

/** Creates or reads a person's session at a place. Returns its id. */
export async function upsertSession(
  db: Db,
  { key, userId, place, senderName }: { key: SessionKey; userId: string; place: Place; senderName: string },
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
      lastActiveAt: sql`now()`,
    })
    .onConflictDoUpdate({
      target: [channelSessions.channelConfigId, channelSessions.sessionKey, channelSessions.userId],
      set: { senderName, senderId: key.senderId },
    })
    .returning({ id: channelSessions.id });
  if (!row) throw new Error("The session was not stored");
  return row.id;
}

/** Notes that a task was started for events of a session: the session goes on in its chat. */
export async function settleStarted(
  db: Db,
  {
    channel,
    sessionId,
    chatId,
    taskId,
    messages,
  }: {
    channel: Pick<Channel, "id" | "channelType">;
    sessionId: string;
    chatId: string;
    taskId: string;
    messages: readonly { id: string; message: ReceivedMessage }[];
  },
): Promise<void> {
  await db.batch([
    db
      .update(channelSessions)
      .set({ chatId, lastActiveAt: sql`now()` })
      .where(eq(channelSessions.id, sessionId)),
    db
      .insert(channelMessages)
      .values(
        messages.map(({ id, message }) => ({
          id,
          channelConfigId: channel.id,
          direction: "inbound" as const,
          jid: jidOf(channel.channelType, message.place.chatId),
          platformChatType: message.place.chatType,
          platformThreadId: message.place.threadId ?? null,
          senderName: message.sender.name,
          content: message.text,
          platformMessageId: message.id,
          taskId,
          status: "delivered" as const,
        })),
      )
      .onConflictDoNothing(),
    db
      .update(channelEvents)
      .set({ handledAt: sql`now()`, event: null })
      .where(
        inArray(
          channelEvents.id,
          messages.map(({ id }) => id),
        ),
      ),
  ]);
}

/**
 * Begins a session's chat before its first task, for files that come with the message. Idempotent. The session is in use
 * from then on, so that a repetition goes on in the same chat.
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

/** A message of another chat of the person. */
export interface ContextMessage extends Record<string, unknown> {
  platform: string;
  role: "user" | "assistant";
  text: string;
}

/** Chats that give a new one its context, messages of each, and how much of a message. */
const CONTEXT = { chats: 3, messages: 2, chars: 500, hours: 24 };

/**
 * The last messages of a person's other platform chats that were active within a day, in projects that the person can still
 * see. In their order, the chat that was active last at the end.
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
      JOIN chats c ON c.id = s.chat_id
      JOIN projects ON projects.id = c.project_id
      WHERE s.user_id = ${userId}::uuid AND s.id <> ${sessionId}::uuid
        AND s.last_active_at > now() - make_interval(hours => ${CONTEXT.hours})
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

/** Archives a session's chat, so that the next message begins another one. */
export async function archiveChat(db: Db, { sessionId, chatId }: { sessionId: string; chatId: string }) {
  await db.batch([
    db.update(chats).set({ status: "archived" }).where(eq(chats.id, chatId)),
    db
      .update(channelSessions)
      .set({ chatId: null })
      .where(and(eq(channelSessions.id, sessionId), eq(channelSessions.chatId, chatId))),
  ]);
}

/** Makes a chat the home of a person on a platform. */
export async function setHome(
  db: Db,
  identityId: string,
  { channelId, place }: { channelId: string; place: Place },
): Promise<void> {
  await db
    .update(platformIdentities)
    .set({
      homeChannelConfigId: channelId,
      homeChatId: place.chatId,
      homeThreadId: place.threadId ?? null,
    })
    .where(eq(platformIdentities.id, identityId));
}

/** Whether an approval belongs to a task of a chat. */
export async function approvalOfChat(db: Db, approvalId: string, chatId: string | null): Promise<boolean> {
  const found = await db
    .select({ id: approvals.id })
    .from(approvals)
    .innerJoin(tasks, eq(tasks.id, approvals.taskId))
    .where(and(sql`${approvals.id}::text = ${approvalId}`, sql`${tasks.chatId} = ${chatId}::uuid`));
  return found.length > 0;
}

/** What `/status` and `/whoami` tell. */
export async function describeSession(
  db: Db,
  { userId, chatId }: { userId: string; chatId: string | null },
): Promise<
  | { email: string; project: string | null; agent: string | null; task: string | null; tool: string | null }
  | undefined
> {
  const result = await db.execute<{
    email: string;
    project: string | null;
    agent: string | null;
    task: string | null;
    tool: string | null;
  }>(sql`
    SELECT u.email, p.name AS project, a.name AS agent, t.message AS task, q.tool
    FROM users u
    LEFT JOIN chats c ON c.id = ${chatId}::uuid AND c.user_id = u.id
    LEFT JOIN projects p ON p.id = c.project_id
    LEFT JOIN tasks t ON t.id = c.unfinished_tasks[1] AND t.status IN ('queued', 'running')
    LEFT JOIN agents a ON a.id = coalesce(t.agent_id, c.agent_id)
    LEFT JOIN LATERAL (SELECT tool FROM approvals WHERE task_id = t.id AND response IS NULL AND expires_at > now()
      ORDER BY id LIMIT 1) AS q ON true
    WHERE u.id = ${userId}::uuid`);
  return result.rows[0];
}
