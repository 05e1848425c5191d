import { and, eq, sql } from "drizzle-orm";
import type { Place } from "#src/channels/channel.ts";
import { approvals } from "#src/db/schema/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { linkOfSession, placeOfSession, sessionOfTask } from "#src/domain/messaging/inbox/index.ts";
import { sourceIn } from "#src/domain/agent-work/tasks/index.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";
import { storeMessageJobs } from "./outbox.ts";

interface ReplySlots {
  /** Of the reply, if none is stored yet. */
  id: Slot<string>;
  taskId: Slot<string>;
  /** Sent when the task's answer is empty. */
  empty: Slot<string>;
  /** Sent before the error of a failed task. */
  failed: Slot<string>;
}

/** The reply to a task's message, and the session that it goes to. */
export interface Reply {
  /** Null if no reply is stored: the task was cancelled, or `before` is not empty. */
  messageId: string | null;
  channelId: string;
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
 * Stores the reply of a finished task in the outbox, under this id, with the job that sends it, once. It stores nothing while the
 * reply of an earlier task of the chat is missing. Returns no row for a task that came from no session of a platform, and for a
 * task that has not finished.
 */
export const insertReply = statement((db, reply: ReplySlots) => {
  const source = sourceIn(sql`t`);
  return db.execute<Reply & Record<string, unknown>>(sql`
    WITH done AS (
      SELECT t.id, t.status, t.chat_id, t.seq, t.user_id, t.api_key_id, t.project_id, s.channel_config_id, s.session_key, s.sender_id, s.platform_chat_id, s.platform_chat_type,
        s.platform_thread_id, ${linkOfSession(sql`s`, sql`c`)} AS identity_id, c.channel_type, c.user_id AS owner_id,
        CASE t.status WHEN 'completed' THEN coalesce(nullif(trim(t.response), ''), ${reply.empty}::text)
          ELSE ${reply.failed}::text || coalesce(t.error, '') END AS content,
        ${source.replyTo} AS reply_to, ${source.replyTarget} AS reply_target
      FROM tasks t
      JOIN channel_sessions s ON s.id = ${source.sessionId}
      JOIN channel_configs c ON c.id = s.channel_config_id
      WHERE t.id = ${reply.taskId}::uuid AND t.status IN ('completed', 'failed', 'cancelled')
    ), missing AS (
      SELECT t.id, t.seq FROM done JOIN tasks t ON t.chat_id = done.chat_id AND t.seq < done.seq
      JOIN channel_sessions s ON s.id = ${source.sessionId}
      WHERE t.status IN ('completed', 'failed')
        AND t.completed_at > now() - make_interval(hours => ${ORDERED_HOURS})
        AND NOT EXISTS (SELECT 1 FROM channel_messages r WHERE r.occasion = 'task:' || t.id)
    ), stored AS (
      INSERT INTO channel_messages (id, channel_config_id, direction, jid, platform_chat_type, platform_thread_id, content,
        task_id, user_id, identity_id, status, occasion, reply_to, reply_target, created_at)
      SELECT ${reply.id}::uuid, channel_config_id, 'outbound', channel_type || ':' || platform_chat_id, platform_chat_type,
        platform_thread_id, content, id, user_id, identity_id, 'pending', 'task:' || id, reply_to, reply_target,
        -- Later than every reply that this statement sees.
        clock_timestamp()
      FROM done WHERE status <> 'cancelled' AND NOT EXISTS (SELECT 1 FROM missing)
      ON CONFLICT (occasion) DO NOTHING
      RETURNING id
    ), due AS (${storeMessageJobs(sql`FROM stored AS m, (SELECT owner_id AS user_id FROM done) AS c`)})
    SELECT done.channel_config_id AS "channelId", done.session_key AS "sessionKey",
      done.sender_id AS "senderId", done.platform_chat_id AS "chatId", done.platform_thread_id AS "threadId",
      done.reply_to AS "replyTo", done.content, done.platform_chat_type AS "chatType", done.channel_type AS platform,
      done.user_id AS "userId", done.identity_id AS "identityId", done.api_key_id AS "apiKeyId", done.project_id AS "projectId",
      EXISTS (SELECT 1 FROM channel_events e WHERE e.channel_config_id = done.channel_config_id
        AND e.session_key = done.session_key AND e.sender_id = done.sender_id AND e.handled_at IS NULL) AS "isWaiting",
      ARRAY(SELECT id FROM missing ORDER BY seq) AS before,
      coalesce((SELECT id FROM stored), (SELECT id FROM channel_messages WHERE occasion = 'task:' || done.id))
        AS "messageId"
    FROM done`);
});

/**
 * Returns a task's open approvals, and the place in which its person is asked. Undefined when no approval is open, or when
 * the person may no longer be written to in that place.
 */
export async function askingSession(db: Db, taskId: string) {
  const [found, open] = await db.batch([
    sessionOfTask(db, { taskId }),
    db
      .select({
        id: approvals.id,
        tool: approvals.tool,
        parameters: approvals.parameters,
        asked: approvals.asked,
      })
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
  const { channel, session, person, replyTo, chat } = at;
  const { sessionKey } = session;
  return { channel, sessionKey, place: placeOfSession(session), person, replyTo, chat, approvals: open };
}
