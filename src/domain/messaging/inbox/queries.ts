import { and, eq, inArray, isNull, lt, sql, type SQL } from "drizzle-orm";
import type { ReceivedEvent, ReceivedStatus } from "#src/channels/channel.ts";
import {
  channelConfigs,
  channelEvents,
  channelMessages,
  channelSessions,
  tasks,
} from "#src/db/schema/index.ts";
import { isLive } from "#src/domain/messaging/channels/index.ts";
import { mayWrite } from "#src/domain/messaging/identities/index.ts";
import { sourceIn } from "#src/domain/agent-work/tasks/index.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { SessionKey } from "./session-key.ts";

/** Most sessions that one message of the queue names. */
export const MOST_SESSIONS = 100;

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

/** What became of the events of a delivery. */
export interface StoredEvents {
  /** Those of the stored events, and of redelivered ones that are still open. */
  sessions: { sessionKey: string; senderId: string; firstEventId: string }[];
  /** Place of the first event that was not stored because there were too many; null when none is left. */
  restFrom: number | null;
}

/**
 * Stores the first `most` new events in their order, in one round trip. A redelivered event finds its row, so that the next
 * ones are stored; its session is returned too, because the first delivery may have died before it published. At most
 * `MOST_SESSIONS` are returned, those of new events first.
 */
export async function storeEvents(
  db: Db,
  channelConfigId: string,
  events: readonly NewEvent[],
  most: number,
): Promise<StoredEvents> {
  const rows = JSON.stringify(
    events.map((each, place) => ({
      place,
      id: each.id,
      event_id: each.eventId,
      session_key: each.sessionKey,
      sender_id: each.senderId,
      event: each.event,
      needs_session: each.needsSession,
    })),
  );
  const result = await storingEvents(db, { channelId: channelConfigId, rows, most });
  const sessions = result.rows.flatMap(({ sessionKey, senderId, firstEventId }) =>
    sessionKey && senderId && firstEventId ? [{ sessionKey, senderId, firstEventId }] : [],
  );
  return { sessions, restFrom: result.rows[0]?.restFrom ?? null };
}

interface EventsSlots {
  channelId: Slot<string>;
  rows: Slot<string>;
  most: Slot<number>;
}

type EventsRow = StoredEvents["sessions"][number] & { restFrom: number | null };

const storingEvents = statement((db, { channelId, rows, most }: EventsSlots) =>
  db.execute<Partial<EventsRow> & Pick<EventsRow, "restFrom">>(sql`
    WITH given AS (
      SELECT e.*, known.id IS NULL AS is_new, known.id IS NOT NULL AND known.handled_at IS NULL AS is_open
      FROM jsonb_to_recordset(${rows}::jsonb) AS e (place int, id uuid, event_id text, session_key text, sender_id text,
        event jsonb, needs_session boolean)
      LEFT JOIN channel_events known
        ON known.channel_config_id = ${channelId}::uuid AND known.event_id = e.event_id
      WHERE NOT e.needs_session OR EXISTS (
        SELECT 1 FROM channel_sessions s
        WHERE s.channel_config_id = ${channelId}::uuid AND s.session_key = e.session_key)
    ), rest AS (
      SELECT (SELECT place FROM given WHERE is_new ORDER BY place OFFSET ${most}::int LIMIT 1) AS rest_from
    ), taken AS (
      SELECT given.* FROM given, rest WHERE is_new AND (rest_from IS NULL OR place < rest_from)
    ), stored AS (
      INSERT INTO channel_events (id, channel_config_id, event_id, session_key, sender_id, event)
      SELECT id, ${channelId}::uuid, event_id, session_key, sender_id, event FROM taken ORDER BY place
      ON CONFLICT (channel_config_id, event_id) DO NOTHING
    ), sessions AS (
      SELECT session_key, sender_id, min(event_id) AS first_event_id
      FROM (SELECT * FROM taken UNION ALL SELECT * FROM given WHERE is_open) AS each
      GROUP BY session_key, sender_id ORDER BY bool_or(is_new) DESC, min(place) LIMIT ${MOST_SESSIONS}
    )
    SELECT rest_from AS "restFrom", session_key AS "sessionKey", sender_id AS "senderId",
      first_event_id AS "firstEventId"
    FROM rest LEFT JOIN sessions ON true`),
);

/** Notes that the platform could not deliver messages that it had accepted. */
export async function failAccepted(
  db: Db,
  channelConfigId: string,
  failures: readonly Pick<ReceivedStatus, "messageId" | "error">[],
): Promise<void> {
  const rows = JSON.stringify(
    failures.map(({ messageId, error }) => ({
      message_id: messageId,
      error: error ?? "The platform did not deliver the message",
    })),
  );
  await db.execute(sql`
    UPDATE channel_messages SET status = 'failed', error = failure.error
    FROM jsonb_to_recordset(${rows}::jsonb) AS failure (message_id text, error text)
    WHERE channel_config_id = ${channelConfigId}::uuid AND direction = 'outbound'
      AND platform_message_id = failure.message_id`);
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
 * SQL value: the link that must count for a message of a session, given the names of its row and its channel's. Where the link
 * was removed it is an id of no link, so that nothing is sent; a terminal needs none.
 */
export function linkOfSession(session: SQL, channel: SQL): SQL<string | null> {
  return sql<
    string | null
  >`(CASE WHEN ${channel}.channel_type <> 'cli' THEN coalesce(${session}.identity_id, ${session}.id) END)`;
}

const link = linkOfSession(sql`channel_sessions`, sql`channel_configs`);

/**
 * The session that a platform's task came from, or in which the owner of a schedule is asked and told about a run; its channel,
 * whether its person may still be written to there, and what is known of the message.
 */
export const sessionOfTask = statement((db, { taskId }: { taskId: Slot<string> }) => {
  const source = sourceIn(sql`tasks`);
  return db
    .select({
      channel: channelConfigs,
      isLive,
      session: channelSessions,
      person: { userId: channelSessions.userId, identityId: link },
      isAllowed: sql<boolean>`${mayWrite({
        userId: sql`channel_sessions.user_id`,
        projectId: sql`tasks.project_id`,
        identityId: link,
      })}`,
      replyTo: source.replyTo,
      messageId: source.messageId,
      chat: { id: tasks.chatId, projectId: tasks.projectId },
    })
    .from(tasks)
    .innerJoin(channelSessions, eq(channelSessions.id, source.askedSessionId))
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelSessions.channelConfigId))
    .where(eq(tasks.id, taskId));
});

/**
 * The session that a task came from, as `sessionOfTask` finds it, where it is the session of the task's own user, who may
 * still be written to there.
 */
export async function originOfTask(db: Db, { id, userId }: { id: string; userId: string }) {
  const [origin] = await sessionOfTask(db, { taskId: id });
  return origin?.isAllowed && origin.session.userId === userId ? origin : undefined;
}

/** Sessions of a channel with events that have been open for some seconds, also those that wait for a task. */
export async function openSessions(
  db: Db,
  channelId: string,
  { quietSeconds, limit }: { quietSeconds: number; limit: number },
): Promise<{ sessionKey: string; senderId: string }[]> {
  const { channelConfigId, sessionKey, senderId, handledAt, createdAt } = channelEvents;
  return db
    .selectDistinct({ sessionKey, senderId })
    .from(channelEvents)
    .where(
      and(
        eq(channelConfigId, channelId),
        isNull(handledAt),
        lt(createdAt, sql`now() - make_interval(secs => ${quietSeconds}::int)`),
      ),
    )
    .limit(limit);
}

/** A session, and the owner of its channel. */
export type StrandedSession = SessionKey & { ownerId: string };

/**
 * Sessions with open events that nothing works on: the message that should have advanced them was lost. Sessions whose chat
 * has a task at work wait for its end and are left out.
 */
export async function strandedSessions(
  db: Db,
  { quietSeconds, limit }: { quietSeconds: number; limit: number },
): Promise<StrandedSession[]> {
  const result = await db.execute<StrandedSession & Record<string, unknown>>(sql`
    SELECT DISTINCT e.channel_config_id AS "channelId", o.user_id AS "ownerId", e.session_key AS "sessionKey",
      e.sender_id AS "senderId"
    FROM channel_events e JOIN channel_configs o ON o.id = e.channel_config_id
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
