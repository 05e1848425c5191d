import { and, eq, sql, type SQL } from "drizzle-orm";
import { channelConfigs, channelMessages, tasks } from "#src/db/schema/index.ts";
import { channelLoss, type ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import { mayWrite } from "#src/domain/messaging/identities/index.ts";
import { jidOf } from "#src/domain/messaging/inbox/index.ts";
import { newId } from "#src/lib/ids.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";
import { lockJob, secondsUntilDue, storeJobs } from "#src/work/queries.ts";
import { messageDue } from "../message-due.ts";
import { fileOccasion, type OutboxMessage } from "../outbox-message.ts";

/** Statement that stores the jobs of rows `m`, whose channel is `c`. */
export const storeMessageJobs = (from: SQL): SQL =>
  storeJobs(messageDue, from, {
    key: sql`m.id::text`,
    payload: { messageId: sql`m.id` },
    share: sql`c.user_id`,
  });

const OF_CHANNEL = sql`FROM channel_messages m JOIN channel_configs c ON c.id = m.channel_config_id`;

/**
 * Stores messages in the outbox with the jobs that send them, each behind the one before it. Returns a message for each
 * occasion, in this order: where the outbox has had one, that one.
 */
export async function insertMessages(
  db: Db,
  messages: readonly OutboxMessage[],
): Promise<Pick<ChannelMessage, "id" | "status">[]> {
  if (messages.length === 0) return [];
  const rows = messages.map((message) => ({
    id: newId(),
    channelConfigId: message.channel.id,
    direction: "outbound" as const,
    kind: message.kind,
    jid: jidOf(message.channel.channelType, message.place.chatId),
    platformChatType: message.place.chatType,
    platformThreadId: message.place.threadId ?? null,
    content: message.content,
    taskId: message.taskId,
    userId: message.person?.userId ?? null,
    identityId: message.person?.identityId ?? null,
    status: "pending" as const,
    occasion: message.occasion,
    replyTo: message.replyTo ?? null,
    replyTarget: message.replyTarget ?? null,
    buttons: message.buttons.length > 0 ? message.buttons : null,
  }));
  const ids = sql.join(
    rows.map(({ id }) => sql`${id}::uuid`),
    sql`, `,
  );
  const [stored] = await db.batch([
    db
      .insert(channelMessages)
      .values(rows)
      .onConflictDoUpdate({ target: channelMessages.occasion, set: { occasion: sql`excluded.occasion` } })
      .returning({ id: channelMessages.id, status: channelMessages.status }),
    // What the outbox has had keeps its job.
    db.execute(storeMessageJobs(sql`${OF_CHANNEL} WHERE m.id IN (${ids})`)),
  ]);
  return stored.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Whether two rows go to the same place. There, messages keep the order in which the database has stored them. */
const isSamePlace = (one: SQL, other: SQL): SQL => sql`${one}.channel_config_id = ${other}.channel_config_id
  AND ${one}.jid = ${other}.jid AND ${one}.platform_thread_id IS NOT DISTINCT FROM ${other}.platform_thread_id`;

/** An earlier message that is about to be sent is settled within this time when nothing fails. */
const LEAST_WAIT_SECONDS = 5;

/**
 * The first message before this one at the same place, and the seconds until it is tried again; null if there is none. One that
 * was due longer ago than a message waits at least is forgotten: the program that stored it has died.
 */
const before = sql<{ id: string; seconds: number; isForgotten: boolean } | null>`(
  SELECT json_build_object('id', first.id, 'seconds', greatest(first.due, ${LEAST_WAIT_SECONDS}::float),
    'isForgotten', coalesce(first.due < -${LEAST_WAIT_SECONDS}::float, false))
  FROM (SELECT e.id, ${secondsUntilDue(messageDue, sql`e.id::text`)} AS due FROM channel_messages e
    WHERE ${isSamePlace(sql`e`, sql`channel_messages`)} AND e.status = 'pending'
      AND (e.created_at, e.id) < (channel_messages.created_at, channel_messages.id)
    ORDER BY e.created_at, e.id LIMIT 1) AS first)`;

/** Asked at each attempt: what was stored may outlive the right to it. */
const isAllowed = sql<boolean>`(channel_messages.user_id IS NULL OR ${mayWrite({
  userId: sql`channel_messages.user_id`,
  projectId: sql`tasks.project_id`,
  identityId: sql`channel_messages.identity_id`,
})})`;

const sending = statement((db, { id }: { id: Slot<string> }) =>
  db
    .select({
      message: channelMessages,
      channel: channelConfigs,
      loss: channelLoss,
      isAllowed,
      owner: { userId: tasks.userId, apiKeyId: tasks.apiKeyId, projectId: tasks.projectId },
      before,
    })
    .from(channelMessages)
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelMessages.channelConfigId))
    .leftJoin(tasks, eq(tasks.id, channelMessages.taskId))
    .where(eq(channelMessages.id, id)),
);

/**
 * A message, its channel, why that one does not work, and whether the person may still be written to here. `owner` is whose
 * rights its file is read with; null once its task is deleted.
 */
export const messageToSend = (db: Db, id: string) => sending(db, { id });

export type MessageToSend = Awaited<ReturnType<typeof messageToSend>>[number];

/** A stage: the platform has taken so many pieces, and none of the next one. */
export const piecesTaken = (db: Db, id: string, piecesSent: number, isHeld: SQL<boolean>) =>
  db
    .update(channelMessages)
    .set({ piecesSent, mayBeSent: false, replyTarget: null })
    .where(and(eq(channelMessages.id, id), isHeld));

/** Writes of an outcome. `mayBeSent` says whether the platform may have taken the piece that failed. */
export const messageDelivered = (id: string, platformMessageId: string | null): SQL =>
  sql`UPDATE channel_messages SET status = 'delivered', platform_message_id = ${platformMessageId}::text,
    error = NULL, reply_target = NULL FROM job WHERE channel_messages.id = ${id}::uuid`;
export const attemptFailed = (id: string, { error, mayBeSent }: { error: string; mayBeSent: boolean }): SQL =>
  sql`UPDATE channel_messages SET error = ${error}::text, may_be_sent = may_be_sent OR ${mayBeSent}::boolean
    FROM job WHERE channel_messages.id = ${id}::uuid`;
export const messageFailed = (id: string, error: string): SQL =>
  sql`UPDATE channel_messages SET status = 'failed', error = ${error}::text
    FROM job WHERE channel_messages.id = ${id}::uuid`;

/**
 * Statement that makes the message behind this one due, if an executor has looked at it and left it to wait. One that none
 * has looked at is about to be sent by the program that stored it.
 */
export const messageBehind = (id: string): SQL =>
  storeMessageJobs(sql`FROM job
    JOIN channel_messages sent ON sent.id = ${id}::uuid
    JOIN channel_configs c ON c.id = sent.channel_config_id
    CROSS JOIN LATERAL (
      SELECT n.id FROM channel_messages n
      WHERE ${isSamePlace(sql`n`, sql`sent`)} AND n.status = 'pending'
        AND (n.created_at, n.id) > (sent.created_at, sent.id)
      ORDER BY n.created_at, n.id LIMIT 1
    ) AS m
    WHERE ${secondsUntilDue(messageDue, sql`m.id::text`)} > 0`);

/** Returns the message with an occasion, and the seconds until its next attempt. */
export async function messageOfOccasion(db: Db, occasion: string) {
  const [found] = await db
    .select({
      message: channelMessages,
      secondsUntilDue: secondsUntilDue(messageDue, sql`channel_messages.id::text`),
    })
    .from(channelMessages)
    .where(eq(channelMessages.occasion, occasion));
  return found;
}

/** What a task has stored with an occasion: the message, and behind it its files. */
export function messagesOfOccasion(db: Db, taskId: string, occasion: string) {
  return db
    .select({ id: channelMessages.id, status: channelMessages.status, platform: channelConfigs.channelType })
    .from(channelMessages)
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelMessages.channelConfigId))
    .where(
      and(
        eq(channelMessages.taskId, taskId),
        sql`(${channelMessages.occasion} = ${occasion}::text
          OR starts_with(${channelMessages.occasion}, ${fileOccasion(occasion, "")}::text))`,
      ),
    )
    .orderBy(channelMessages.id);
}

/** An outbound message of a channel. */
export async function outboundMessage(
  db: Db,
  channelConfigId: string,
  id: string,
): Promise<ChannelMessage | undefined> {
  const [row] = await db
    .select()
    .from(channelMessages)
    .where(
      and(
        eq(channelMessages.id, id),
        eq(channelMessages.channelConfigId, channelConfigId),
        eq(channelMessages.direction, "outbound"),
      ),
    );
  return row;
}

/** Has a failed message sent again, and returns it, pending. Undefined if it has not failed. */
export async function reviveMessage(db: Db, id: string): Promise<ChannelMessage | undefined> {
  const [, , [revived]] = await db.batch([
    lockJob(messageDue, db, id),
    db.execute(storeMessageJobs(sql`${OF_CHANNEL} WHERE m.id = ${id}::uuid AND m.status = 'failed'`)),
    db
      .update(channelMessages)
      .set({ status: "pending", error: null })
      .where(and(eq(channelMessages.id, id), eq(channelMessages.status, "failed")))
      .returning(),
  ]);
  return revived;
}
