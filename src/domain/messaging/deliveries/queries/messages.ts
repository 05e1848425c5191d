import { and, eq, sql } from "drizzle-orm";
import type { Button, Place } from "#src/channels/channel.ts";
import { approvals, channelMessages, tasks } from "#src/db/schema/index.ts";
import type { Channel, ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import { jidOf, linkOfSession, placeOfSession, sessionOfTask } from "#src/domain/messaging/inbox/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A message for the outbox. */
export interface NewMessage {
  channel: Pick<Channel, "id" | "channelType">;
  place: Place;
  kind: ChannelMessage["kind"];
  /** Markdown; for a file, its path in the project. */
  content: string;
  /** Why the message is sent. A second message with the same occasion is not stored. */
  occasion: string;
  replyTo: string | undefined;
  /** Fernet token. */
  replyTarget: string | undefined;
  buttons: readonly Button[];
  taskId: string | null;
  /** The person it is for. It is sent only while that person may be written to in this place. Null for a stranger. */
  person: {
    userId: string;
    /** The link that must still count when it is sent. Null for a chat that the person chose in a channel of their own. */
    identityId: string | null;
  } | null;
}

/**
 * Stores a message in the outbox, unless the outbox has a message with its occasion. Returns the id of the occasion's message;
 * undefined if that message is no longer pending.
 */
export async function insertMessage(db: Db, message: NewMessage): Promise<string | undefined> {
  const { channel, place, buttons } = message;
  const [stored] = await db
    .insert(channelMessages)
    .values({
      id: newId(),
      channelConfigId: channel.id,
      direction: "outbound",
      kind: message.kind,
      jid: jidOf(channel.channelType, place.chatId),
      platformChatType: place.chatType,
      platformThreadId: place.threadId ?? null,
      content: message.content,
      taskId: message.taskId,
      userId: message.person?.userId ?? null,
      identityId: message.person?.identityId ?? null,
      status: "pending",
      occasion: message.occasion,
      replyTo: message.replyTo ?? null,
      replyTarget: message.replyTarget ?? null,
      buttons: buttons.length > 0 ? buttons : null,
    })
    .onConflictDoUpdate({
      target: channelMessages.occasion,
      set: { occasion: sql`excluded.occasion` },
      setWhere: eq(channelMessages.status, "pending"),
    })
    .returning({ id: channelMessages.id });
  return stored?.id;
}

/**
 * Stores one outbox message for each file, behind the messages that are there already. Returns the ids in this order, also
 * of messages that an earlier attempt stored.
 */
export async function insertArtifacts(
  db: Db,
  {
    channel,
    place,
    taskId,
    person,
    occasion,
    paths,
  }: Pick<NewMessage, "channel" | "place" | "person" | "occasion"> & {
    taskId: string;
    paths: readonly string[];
  },
): Promise<string[]> {
  if (paths.length === 0) return [];
  const stored = await db
    .insert(channelMessages)
    .values(
      paths.map((path) => ({
        id: newId(),
        channelConfigId: channel.id,
        direction: "outbound" as const,
        kind: "artifact" as const,
        jid: jidOf(channel.channelType, place.chatId),
        platformChatType: place.chatType,
        platformThreadId: place.threadId ?? null,
        content: path,
        taskId,
        userId: person?.userId ?? null,
        identityId: person?.identityId ?? null,
        status: "pending" as const,
        occasion: `${occasion}:file:${path}`,
      })),
    )
    .onConflictDoUpdate({ target: channelMessages.occasion, set: { content: sql`excluded.content` } })
    .returning({ id: channelMessages.id });
  return stored.map(({ id }) => id).toSorted();
}

/** Returns the person, the key and the project of an outbox message's task. Undefined once the task is deleted. */
export async function ownerOfMessage(db: Db, messageId: string) {
  const [owner] = await db
    .select({ userId: tasks.userId, apiKeyId: tasks.apiKeyId, projectId: tasks.projectId })
    .from(channelMessages)
    .innerJoin(tasks, eq(tasks.id, channelMessages.taskId))
    .where(eq(channelMessages.id, messageId));
  return owner;
}

/** Returns the message with an occasion. */
export async function messageOfOccasion(db: Db, occasion: string): Promise<ChannelMessage | undefined> {
  const [row] = await db.select().from(channelMessages).where(eq(channelMessages.occasion, occasion));
  return row;
}

/** Sentences for a task that has no answer to send. */
export interface ReplyWords {
  /** Sent when the task's answer is empty. */
  empty: string;
  /** Sent before the error of a failed task. */
  failed: string;
}

/** The reply to a task's message, and the session that it goes to. */
export interface Reply {
  /** Null if no reply is stored: the task was cancelled, or `before` is not empty. */
  messageId: string | null;
  channelId: string;
  shard: number;
  sessionKey: string;
  senderId: string;
  chatId: string;
  threadId: string | null;
  replyTo: string | null;
  content: string;
  chatType: Place["chatType"];
  platform: Channel["channelType"];
  userId: string;
  /** As `person` of the outbox message has it. */
  identityId: string | null;
  apiKeyId: string | null;
  projectId: string;
  /** Whether further messages of the session wait for the end of the task. */
  isWaiting: boolean;
  /** Earlier finished tasks of the chat whose replies are not stored yet, in their order. This reply waits for them. */
  before: string[];
}

/** A reply waits for the replies of earlier tasks that ended within this many hours. */
const ORDERED_HOURS = 24;

/**
 * Stores the reply of a finished task in the outbox, once. It stores nothing while the reply of an earlier task of the chat is
 * missing. Returns undefined for a task that came from no session of a platform, and for a task that has not finished.
 */
export async function insertReply(db: Db, taskId: string, words: ReplyWords): Promise<Reply | undefined> {
  const result = await db.execute<Reply & Record<string, unknown>>(sql`
    WITH done AS (
      SELECT t.id, t.status, t.chat_id, t.seq, t.user_id, t.api_key_id, t.project_id, s.channel_config_id, s.session_key, s.sender_id, s.platform_chat_id, s.platform_chat_type,
        s.platform_thread_id, ${linkOfSession(sql`s`, sql`c`)} AS identity_id, c.channel_type, c.gateway_shard,
        CASE t.status WHEN 'completed' THEN coalesce(nullif(trim(t.response), ''), ${words.empty}::text)
          ELSE ${words.failed}::text || coalesce(t.error, '') END AS content,
        m.message_metadata #>> '{channel,reply_to}' AS reply_to, m.message_metadata #>> '{channel,reply_target}' AS reply_target
      FROM tasks t
      JOIN messages m ON m.task_id = t.id AND m.role = 'user'
      JOIN channel_sessions s ON s.id = (m.message_metadata #>> '{channel,session_id}')::uuid
      JOIN channel_configs c ON c.id = s.channel_config_id
      WHERE t.id = ${taskId}::uuid AND t.status IN ('completed', 'failed', 'cancelled')
    ), missing AS (
      SELECT e.id, e.seq FROM done JOIN tasks e ON e.chat_id = done.chat_id AND e.seq < done.seq
      JOIN messages m ON m.task_id = e.id AND m.role = 'user'
      JOIN channel_sessions s ON s.id = (m.message_metadata #>> '{channel,session_id}')::uuid
      WHERE e.status IN ('completed', 'failed')
        AND e.completed_at > now() - make_interval(hours => ${ORDERED_HOURS})
        AND NOT EXISTS (SELECT 1 FROM channel_messages r WHERE r.occasion = 'task:' || e.id)
    ), stored AS (
      INSERT INTO channel_messages (id, channel_config_id, direction, jid, platform_chat_type, platform_thread_id, content,
        task_id, user_id, identity_id, status, occasion, reply_to, reply_target, created_at)
      SELECT ${newId()}::uuid, channel_config_id, 'outbound', channel_type || ':' || platform_chat_id, platform_chat_type,
        platform_thread_id, content, id, user_id, identity_id, 'pending', 'task:' || id, reply_to, reply_target,
        -- Later than every reply that this statement sees.
        clock_timestamp()
      FROM done WHERE status <> 'cancelled' AND NOT EXISTS (SELECT 1 FROM missing)
      ON CONFLICT (occasion) DO NOTHING
      RETURNING id
    )
    SELECT done.channel_config_id AS "channelId", done.gateway_shard AS shard, done.session_key AS "sessionKey",
      done.sender_id AS "senderId", done.platform_chat_id AS "chatId", done.platform_thread_id AS "threadId",
      done.reply_to AS "replyTo", done.content, done.platform_chat_type AS "chatType", done.channel_type AS platform,
      done.user_id AS "userId", done.identity_id AS "identityId", done.api_key_id AS "apiKeyId", done.project_id AS "projectId",
      EXISTS (SELECT 1 FROM channel_events e WHERE e.channel_config_id = done.channel_config_id
        AND e.session_key = done.session_key AND e.sender_id = done.sender_id AND e.handled_at IS NULL) AS "isWaiting",
      ARRAY(SELECT id FROM missing ORDER BY seq) AS before,
      coalesce((SELECT id FROM stored), (SELECT id FROM channel_messages WHERE occasion = 'task:' || done.id))
        AS "messageId"
    FROM done`);
  return result.rows[0];
}

/**
 * Returns a task's open approvals, and the place in which its person is asked. Undefined when no approval is open, or when
 * the person may no longer be written to in that place.
 */
export async function askingSession(db: Db, taskId: string) {
  const [found, open] = await db.batch([
    sessionOfTask(db, taskId),
    db
      .select({ id: approvals.id, tool: approvals.tool, parameters: approvals.parameters })
      .from(approvals)
      .where(
        and(
          eq(approvals.taskId, taskId),
          sql`${approvals.response} IS NULL`,
          sql`${approvals.expiresAt} > now()`,
        ),
      )
      .orderBy(approvals.id),
  ]);
  const [at] = found;
  if (!at?.isAllowed || open.length === 0) return undefined;
  const { channel, session, person, replyTo } = at;
  const { sessionKey } = session;
  return { channel, sessionKey, place: placeOfSession(session), person, replyTo, approvals: open };
}
