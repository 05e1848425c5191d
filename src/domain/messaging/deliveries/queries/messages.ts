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
  /** Markdown; of a file its path in the project. */
  content: string;
  /** What the message is about: a repetition with the same occasion stores nothing. */
  occasion: string;
  replyTo: string | undefined;
  /** Fernet token. */
  replyTarget: string | undefined;
  buttons: readonly Button[];
  taskId: string | null;
  /** Whose message it is: it is sent only while that person may be written to here. Null for words to strangers. */
  person: {
    userId: string;
    /** The link that must still count; null for a chat that the person chose in an own channel. */
    identityId: string | null;
  } | null;
}

/** Stores a message in the outbox. Returns its id; undefined when its occasion is not new. */
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
    .onConflictDoNothing({ target: channelMessages.occasion })
    .returning({ id: channelMessages.id });
  return stored?.id;
}

/**
 * Stores files in the outbox, behind what is there already. Returns their ids, and those of the files that an earlier
 * attempt stored.
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

/** Whose files a message of the outbox is about; undefined once its task is deleted. */
export async function ownerOfMessage(db: Db, messageId: string) {
  const [owner] = await db
    .select({ userId: tasks.userId, apiKeyId: tasks.apiKeyId, projectId: tasks.projectId })
    .from(channelMessages)
    .innerJoin(tasks, eq(tasks.id, channelMessages.taskId))
    .where(eq(channelMessages.id, messageId));
  return owner;
}

/** The message of an occasion. */
export async function messageOfOccasion(db: Db, occasion: string): Promise<ChannelMessage | undefined> {
  const [row] = await db.select().from(channelMessages).where(eq(channelMessages.occasion, occasion));
  return row;
}

/** What a person reads in place of an answer that is empty, or that there is none of. */
export interface ReplyWords {
  empty: string;
  /** Stands before the error of a failed task. */
  failed: string;
}

/** The reply of a task, and its session. */
export interface Reply {
  /** Null for a cancelled task. */
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
  /** As in the outbox. */
  identityId: string | null;
  apiKeyId: string | null;
  projectId: string;
  /** Whether the session has messages that wait for the end of the task. */
  isWaiting: boolean;
  /** Finished tasks before it in the chat whose replies are not stored, in their order. While there are such, nothing is. */
  before: string[];
}

/** Replies of a chat are stored in the order of their tasks, back to this many hours. */
const ORDERED_HOURS = 24;

/**
 * Stores the reply of a finished platform task in the outbox, once, unless one before it is missing. Undefined for a task of
 * no session, and for one that is not finished.
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

/** Where a task of a platform asks, and its open approvals. Undefined when it asks nothing, or may not ask there. */
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
