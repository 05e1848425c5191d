import { and, asc, inArray, sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { channelEvents } from "#src/db/schema/index.ts";
import type { ReceivedMessage } from "#src/channels/channel.ts";
import { liveChannel, type Channel } from "#src/domain/messaging/channels/index.ts";
import { linkCounts } from "#src/domain/messaging/identities/index.ts";
import { jidOf, type SessionKey } from "#src/domain/messaging/inbox/index.ts";
import type { Role } from "#src/domain/access/permissions/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import { storableText } from "#src/lib/storable-text.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";

export type StoredEvent = typeof channelEvents.$inferSelect;

/** The person who writes in a session, and the session if it exists. */
export interface Membership {
  userId: string;
  /** The link by which the person writes; null at the command line, whose API key is the identity. */
  identityId: string | null;
  /** `self`: the person owns the channel. `team`: the channel's project belongs to a team of theirs. `other`: neither. */
  channelOf: "self" | "team" | "other";
  /** The channel's project, read in the same statement as `ownerRole`. */
  channelProjectId: string | null;
  /** Role of the channel's owner in its project. It limits what any message may do. Null without a project or a role. */
  ownerRole: Role | null;
  sessionId: string | null;
  /** The link by which the person wrote last. */
  sessionIdentityId: string | null;
  /** The session's chat, unless it was deleted. */
  chatId: string | null;
  projectId: string | null;
  isArchived: boolean;
  /** Whether the chat is that of a schedule's run, so that the person answers the run's result. */
  isInRun: boolean;
  /** Whether the session has been unused for longer than its idle timeout. */
  isIdle: boolean;
  /** Whether a task of the chat is unfinished. */
  isBusy: boolean;
  /** Whether a running task of the chat waits for an approval. */
  isAsking: boolean;
  startedAt: string | null;
}

export interface OpenConversation {
  /** Undefined once the channel has stopped working. */
  channel: Channel | undefined;
  /** In their order. */
  events: StoredEvent[];
  /** Undefined for a person who is not linked to an active user. */
  person: Membership | undefined;
  /** Whether the events are the batch of a task, as by `claimEvents`: there was one, and it can only be that. */
  isClaimed: boolean;
}

/** Most events of a session that one call reads. */
const READ = 100;

type Key = { readonly [Part in keyof SessionKey]: string | Slot<string> };

/** SQL condition for a row of `channel_events`: it is of the session and not handled yet. */
const isOpen = (event: SQL, { channelId, sessionKey, senderId }: Key) =>
  sql`${event}.channel_config_id = ${channelId}::uuid AND ${event}.session_key = ${sessionKey}::text
    AND ${event}.sender_id = ${senderId}::text AND ${event}.handled_at IS NULL`;

const openEvents = (key: Key) => isOpen(sql`channel_events`, key);

interface SessionSlots extends Record<keyof SessionKey, Slot<string>> {
  idleMinutes: Slot<number>;
}

const eventsOf = statement((db, key: Record<keyof SessionKey, Slot<string>>) =>
  db.select().from(channelEvents).where(openEvents(key)).orderBy(asc(channelEvents.id)).limit(READ),
);

/** The person who sent a session's open events, and the session. No row if the sender is not linked to an active user. */
function membership(slots: SessionSlots): SQL {
  const { channelId, sessionKey, senderId, idleMinutes } = slots;
  const ownerRole = roleInProject({ userId: sql`channel_configs.user_id`, isSuperuser: false });
  return sql`
    WITH person AS (
      (SELECT u.id AS user_id, link.id AS identity_id
      FROM channel_configs JOIN platform_identities AS link ON link.platform = channel_configs.channel_type AND ${linkCounts}
      JOIN users u ON u.id = link.user_id AND u.is_active
      WHERE channel_configs.id = ${channelId}::uuid
        AND (link.platform_user_id = ${senderId}::text OR link.platform_user_id IN (
          SELECT e.event #>> '{sender,alternateId}' FROM channel_events e WHERE ${isOpen(sql`e`, slots)}))
      ORDER BY link.channel_config_id = channel_configs.id DESC, link.platform_user_id = ${senderId}::text DESC,
        link.paired_at DESC
      LIMIT 1)
      UNION ALL
      SELECT u.id, NULL FROM users u JOIN channel_configs ON channel_configs.user_id = u.id
      WHERE u.is_active AND u.id::text = ${senderId}::text
        AND channel_configs.id = ${channelId}::uuid AND channel_configs.channel_type = 'cli'
    )
    SELECT person.user_id AS "userId", person.identity_id AS "identityId",
      CASE WHEN channel_configs.user_id = person.user_id THEN 'self'
        WHEN EXISTS (SELECT 1 FROM team_memberships m
          WHERE m.team_id = projects.team_id AND m.user_id = person.user_id) THEN 'team'
        ELSE 'other' END AS "channelOf",
      channel_configs.project_id AS "channelProjectId",
      CASE WHEN projects.id IS NOT NULL THEN ${ownerRole} END AS "ownerRole",
      s.id AS "sessionId", s.identity_id AS "sessionIdentityId", c.id AS "chatId",
      c.project_id AS "projectId", coalesce(c.status = 'archived', false) AS "isArchived",
      coalesce(c.origin = 'schedule', false) AS "isInRun", c.created_at AS "startedAt",
      coalesce(s.last_active_at < now() - make_interval(mins => coalesce(s.idle_timeout_minutes, ${idleMinutes}::int)),
        false) AS "isIdle",
      coalesce(c.unfinished_tasks <> '{}', false) AS "isBusy",
      EXISTS (SELECT 1 FROM approvals a JOIN tasks t ON t.id = a.task_id
        WHERE t.id = ANY (c.unfinished_tasks) AND t.status = 'running' AND a.response IS NULL AND a.expires_at > now())
        AS "isAsking"
    FROM person
    JOIN channel_configs ON channel_configs.id = ${channelId}::uuid
    LEFT JOIN projects ON projects.id = channel_configs.project_id
    LEFT JOIN channel_sessions s ON s.channel_config_id = ${channelId}::uuid AND s.session_key = ${sessionKey}::text
      AND s.user_id = person.user_id
    -- In another person's channel only a chat about the channel's project may continue.
    LEFT JOIN chats c ON c.id = s.chat_id
      AND (channel_configs.user_id = person.user_id OR c.project_id = channel_configs.project_id)`;
}

const membershipOf = statement((db, slots: SessionSlots) =>
  db.execute<Membership & Record<string, unknown>>(membership(slots)),
);

/** As `membershipOf`, and makes the session's only open event the batch of a task where nothing else can become of it. */
const claimingMembership = statement((db, slots: SessionSlots & { wholeChars: Slot<number> }) => {
  return db.execute<Membership & { isClaimed: boolean } & Record<string, unknown>>(sql`
    WITH member AS (${membership(slots)}), claimed AS (
      UPDATE channel_events e SET task_id = e.id FROM member
      WHERE ${isOpen(sql`e`, slots)} AND e.task_id IS NULL AND NOT member."isBusy"
        -- Not what may be a command, a part of a long text, or the first of several files.
        AND e.event ->> 'kind' = 'message' AND e.event ->> 'text' !~ '^[/!]'
        AND length(e.event ->> 'text') < ${slots.wholeChars}::int AND e.event -> 'media' = '[]'
        AND NOT EXISTS (SELECT 1 FROM channel_events o WHERE ${isOpen(sql`o`, slots)} AND o.id <> e.id)
      RETURNING e.id
    )
    SELECT member.*, EXISTS (SELECT 1 FROM claimed) AS "isClaimed" FROM member`);
});

/** Two calls for one session choose a batch one after the other. */
const lockSession = (db: Db, { channelId, sessionKey, senderId }: SessionKey) =>
  lockNames(db, [`channel-session:${channelId}:${sessionKey}:${senderId}`]);

/**
 * Reads everything that decides how a session's events are handled, in one round trip. A single message of fewer than
 * `wholeChars` characters, to a session that is not at work, is claimed in the same.
 */
export async function openConversation(
  db: Db,
  key: SessionKey,
  settings: { idleMinutes: number; wholeChars: number },
): Promise<OpenConversation> {
  const [, channels, people, events] = await db.batch([
    lockSession(db, key),
    liveChannel(db, key),
    claimingMembership(db, { ...key, ...settings }),
    eventsOf(db, key),
  ]);
  const [person] = people.rows;
  return { channel: channels[0], events, person, isClaimed: person?.isClaimed === true };
}

/** Marks events as handled and deletes their contents. */
export async function settleEvents(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .update(channelEvents)
    .set({ handledAt: sql`now()`, event: null })
    .where(inArray(channelEvents.id, [...ids]));
}

/**
 * Makes events the batch of one task. The task gets the id of the first event. Returns the events of the batch: if an earlier
 * attempt chose a batch and died, that batch and nothing else. Also returns the session as it is now, because another call
 * may have begun its chat since the events were read.
 */
export async function claimEvents(
  db: Db,
  key: SessionKey,
  { ids, idleMinutes }: { ids: readonly string[]; idleMinutes: number },
): Promise<Pick<OpenConversation, "events" | "person">> {
  // Another call may have handled some of them in the meantime.
  const first = sql`(SELECT f.id FROM channel_events f
    WHERE f.id IN (${sql.join(
      ids.map((id) => sql`${id}::uuid`),
      sql`, `,
    )}) AND f.handled_at IS NULL ORDER BY f.id LIMIT 1)`;
  const [, , events, people] = await db.batch([
    lockSession(db, key),
    db
      .update(channelEvents)
      .set({ taskId: first })
      .where(
        and(
          openEvents(key),
          inArray(channelEvents.id, [...ids]),
          sql`NOT EXISTS (SELECT 1 FROM channel_events o WHERE ${isOpen(sql`o`, key)} AND o.task_id IS NOT NULL)`,
        ),
      ),
    db
      .select()
      .from(channelEvents)
      .where(and(openEvents(key), sql`${channelEvents.taskId} IS NOT NULL`))
      .orderBy(asc(channelEvents.id)),
    membershipOf(db, { ...key, idleMinutes }),
  ]);
  return { events, person: people.rows[0] };
}

/** Stores that a task was started for a batch. The session continues in the task's chat, and the events are handled. */
export async function settleStarted(
  db: Db,
  {
    channel,
    messages,
    ...started
  }: {
    channel: Pick<Channel, "id" | "channelType">;
    sessionId: string;
    chatId: string;
    taskId: string;
    messages: readonly { id: string; message: ReceivedMessage }[];
  },
): Promise<void> {
  const rows = messages.map(({ id, message }) => ({
    id,
    jid: jidOf(channel.channelType, message.place.chatId),
    chat_type: message.place.chatType,
    thread_id: message.place.threadId ?? null,
    sender_name: message.sender.name,
    content: storableText(message.text),
    message_id: message.id,
  }));
  await settlingStarted(db, { ...started, channelId: channel.id, messages: JSON.stringify(rows) });
}

type StartedSlots = Record<"channelId" | "sessionId" | "chatId" | "taskId" | "messages", Slot<string>>;

const settlingStarted = statement((db, { channelId, sessionId, chatId, taskId, messages }: StartedSlots) =>
  db.execute(sql`
    WITH started AS (
      SELECT * FROM jsonb_to_recordset(${messages}::jsonb) AS m (id uuid, jid text, chat_type text, thread_id text,
        sender_name text, content text, message_id text)
    ), continued AS (
      UPDATE channel_sessions SET chat_id = ${chatId}::uuid, last_active_at = now() WHERE id = ${sessionId}::uuid
    ), kept AS (
      INSERT INTO channel_messages (id, channel_config_id, direction, jid, platform_chat_type, platform_thread_id,
        sender_name, content, platform_message_id, task_id, status)
      SELECT id, ${channelId}::uuid, 'inbound', jid, chat_type, thread_id, sender_name, content, message_id,
        ${taskId}::uuid, 'delivered' FROM started ON CONFLICT DO NOTHING
    )
    UPDATE channel_events SET handled_at = now(), event = NULL FROM started WHERE channel_events.id = started.id`),
);
