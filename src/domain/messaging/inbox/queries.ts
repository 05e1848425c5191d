import { and, eq, inArray, lt, sql } from "drizzle-orm";
import type { ReceivedEvent, ReceivedStatus } from "#src/channels/channel.ts";
import {
  channelConfigs,
  channelEvents,
  channelMessages,
  channelSessions,
  messages,
} from "#src/db/schema/index.ts";
import { isLive } from "#src/domain/messaging/channels/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { SessionKey } from "./session-key.ts";

/** An event to be stored. */
export interface NewEvent {
  id: string;
  eventId: string;
  sessionKey: string;
  senderId: string;
  event: ReceivedEvent;
  /** Whether the event is taken only in a thread where the bot has a session. */
  needsSession: boolean;
}

/**
 * Stores events in their order and returns the sessions they belong to, in one round trip. A redelivered event finds its
 * row; its session is returned too, because the first delivery may have died before it published.
 */
export async function storeEvents(
  db: Db,
  channelConfigId: string,
  events: readonly NewEvent[],
): Promise<{ sessionKey: string; senderId: string; firstEventId: string }[]> {
  const rows = JSON.stringify(
    events.map((each) => ({
      id: each.id,
      event_id: each.eventId,
      session_key: each.sessionKey,
      sender_id: each.senderId,
      event: each.event,
      needs_session: each.needsSession,
    })),
  );
  const result = await db.execute<{ sessionKey: string; senderId: string; firstEventId: string }>(sql`
    WITH taken AS (
      SELECT e.* FROM jsonb_to_recordset(${rows}::jsonb)
        AS e (id uuid, event_id text, session_key text, sender_id text, event jsonb, needs_session boolean)
      WHERE NOT e.needs_session OR EXISTS (
        SELECT 1 FROM channel_sessions s
        WHERE s.channel_config_id = ${channelConfigId}::uuid AND s.session_key = e.session_key)
    ), stored AS (
      INSERT INTO channel_events (id, channel_config_id, event_id, session_key, sender_id, event)
      SELECT id, ${channelConfigId}::uuid, event_id, session_key, sender_id, event FROM taken
      ON CONFLICT (channel_config_id, event_id) DO NOTHING
    )
    SELECT session_key AS "sessionKey", sender_id AS "senderId", min(event_id) AS "firstEventId"
    FROM taken GROUP BY session_key, sender_id`);
  return result.rows;
}

/** Notes that the platform could not deliver messages that it had accepted. */
export async function failAccepted(
  db: Db,
  channelConfigId: string,
  failures: readonly Pick<ReceivedStatus, "messageId" | "error">[],
): Promise<void> {
  for (const { messageId, error } of failures) {
    await db
      .update(channelMessages)
      .set({ status: "failed", error: error ?? "The platform did not deliver the message" })
      .where(
        and(
          eq(channelMessages.channelConfigId, channelConfigId),
          eq(channelMessages.direction, "outbound"),
          eq(channelMessages.platformMessageId, messageId),
        ),
      );
  }
}

/** Gives up what is not sent yet to chats that the bot was removed from. */
export async function failPending(db: Db, channelConfigId: string, jids: readonly string[]): Promise<void> {
  await db
    .update(channelMessages)
    .set({ status: "failed", error: "The bot was removed from the chat, or blocked by the person" })
    .where(
      and(
        eq(channelMessages.channelConfigId, channelConfigId),
        inArray(channelMessages.jid, [...jids]),
        eq(channelMessages.direction, "outbound"),
        eq(channelMessages.status, "pending"),
      ),
    );
}

/**
 * The session that a platform's task came from, or in which the owner of a schedule is asked and told about a run; its channel,
 * and what is known of the message.
 */
export function sessionOfTask(db: Db, taskId: string) {
  return db
    .select({
      channel: channelConfigs,
      isLive,
      session: channelSessions,
      replyTo: sql<string | null>`${messages.messageMetadata} #>> '{channel,reply_to}'`,
      messageId: sql<string | null>`${messages.messageMetadata} #>> '{channel,message_id}'`,
    })
    .from(messages)
    .innerJoin(
      channelSessions,
      sql`${channelSessions.id} = coalesce(${messages.messageMetadata} #>> '{channel,session_id}',
        ${messages.messageMetadata} #>> '{schedule,session_id}')::uuid`,
    )
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelSessions.channelConfigId))
    .where(and(eq(messages.taskId, taskId), eq(messages.role, "user")));
}

/** The session that a task came from, as `sessionOfTask` finds it, where it is the session of the task's own user. */
export async function originOfTask(db: Db, { id, userId }: { id: string; userId: string }) {
  const [origin] = await sessionOfTask(db, id);
  return origin?.session.userId === userId ? origin : undefined;
}

/**
 * Sessions with open events that nothing works on: the message that should have advanced them was lost. Sessions whose chat
 * has a task at work wait for its end and are left out.
 */
export async function strandedSessions(
  db: Db,
  { quietSeconds, limit }: { quietSeconds: number; limit: number },
): Promise<SessionKey[]> {
  const result = await db.execute<SessionKey & Record<string, unknown>>(sql`
    SELECT DISTINCT e.channel_config_id AS "channelId", e.session_key AS "sessionKey", e.sender_id AS "senderId"
    FROM channel_events e
    WHERE e.handled_at IS NULL AND e.created_at < now() - make_interval(secs => ${quietSeconds})
      AND NOT EXISTS (
        SELECT 1 FROM channel_sessions s JOIN chats c ON c.id = s.chat_id
        WHERE s.channel_config_id = e.channel_config_id AND s.session_key = e.session_key AND s.sender_id = e.sender_id
          AND EXISTS (SELECT 1 FROM tasks t WHERE t.id = c.unfinished_tasks[1] AND t.status IN ('queued', 'running')
            AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.task_id = t.id AND a.response IS NULL)))
    LIMIT ${limit}`);
  return result.rows;
}

/** Days after which no platform redelivers an event. */
const KEPT_DAYS = 8;

/** Forgets handled events that no platform redelivers any more. */
export async function deleteOldEvents({ db }: { db: Db }): Promise<void> {
  await db
    .delete(channelEvents)
    .where(
      and(
        lt(channelEvents.createdAt, sql`now() - make_interval(days => ${KEPT_DAYS})`),
        sql`${channelEvents.handledAt} IS NOT NULL`,
      ),
    );
}
