import { and, eq, inArray, sql } from "drizzle-orm";
import { channelConfigs, channelMessages, tasks } from "#src/db/schema/index.ts";
import {
  channelLoss,
  type Channel,
  type ChannelLoss,
  type ChannelMessage,
} from "#src/domain/messaging/channels/index.ts";
import { mayWrite } from "#src/domain/messaging/identities/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** An attempt that dies leaves its message claimed for this long. */
const CLAIM_SECONDS = 60;

/**
 * No earlier message to the same place is still to be sent, so that replies keep their order. Ids are made before a row is
 * stored, so that the id of a later row may be smaller: the order is that of the database's clock.
 */
const isFirstInPlace = sql`NOT EXISTS (
  SELECT 1 FROM channel_messages e
  WHERE e.channel_config_id = channel_messages.channel_config_id AND e.jid = channel_messages.jid
    AND e.platform_thread_id IS NOT DISTINCT FROM channel_messages.platform_thread_id
    AND e.status = 'pending'
    AND (e.created_at, e.id) < (channel_messages.created_at, channel_messages.id))`;

/** The oldest message after this one to the same place that is still to be sent. */
const nextInPlace = sql<string | null>`(
  SELECT n.id FROM channel_messages n
  WHERE n.channel_config_id = channel_messages.channel_config_id AND n.jid = channel_messages.jid
    AND n.platform_thread_id IS NOT DISTINCT FROM channel_messages.platform_thread_id
    AND n.status = 'pending' AND (n.created_at, n.id) > (channel_messages.created_at, channel_messages.id)
  ORDER BY n.created_at, n.id LIMIT 1)`;

const outgoing = (id: string) =>
  and(
    eq(channelMessages.id, id),
    eq(channelMessages.direction, "outbound"),
    eq(channelMessages.status, "pending"),
  );

/** Asked at each attempt: what was stored may outlive the right to it. */
const isAllowed = sql<boolean>`(channel_messages.user_id IS NULL OR ${mayWrite({
  userId: sql`channel_messages.user_id`,
  projectId: sql`tasks.project_id`,
  identityId: sql`channel_messages.identity_id`,
})})`;

/** A message to be sent by this executor, and its channel. */
export interface ClaimedMessage {
  message: ChannelMessage;
  channel: Channel;
  /** Why the channel does not work; null while it does. */
  loss: ChannelLoss | null;
  /** Whether its person may still be written to here. */
  isAllowed: boolean;
}

/**
 * Claims a message for an attempt to send it. Undefined when it is settled, being sent, not due, or when an earlier message
 * to the same place is still to be sent.
 */
export async function claimMessage(db: Db, id: string): Promise<ClaimedMessage | undefined> {
  const [claimed, channels] = await db.batch([
    db
      .update(channelMessages)
      .set({
        sendingSince: sql`now()`,
        mayBeSent: sql`${channelMessages.mayBeSent} OR ${channelMessages.sendingSince} IS NOT NULL`,
      })
      .where(
        and(
          outgoing(id),
          sql`coalesce(${channelMessages.sendingSince} < now() - make_interval(secs => ${CLAIM_SECONDS}), true)`,
          sql`coalesce(${channelMessages.nextAttemptAt} <= now(), true)`,
          isFirstInPlace,
        ),
      )
      .returning(),
    db
      .select({ channel: channelConfigs, loss: channelLoss, isAllowed })
      .from(channelConfigs)
      .innerJoin(channelMessages, eq(channelMessages.channelConfigId, channelConfigs.id))
      .leftJoin(tasks, eq(tasks.id, channelMessages.taskId))
      .where(eq(channelMessages.id, id)),
  ]);
  const [message] = claimed;
  const [found] = channels;
  return message && found && { message, ...found };
}

/** Notes that the platform has taken another piece of a claimed message, and keeps the claim. */
export async function notePiece(db: Db, id: string, piecesSent: number): Promise<void> {
  await db
    .update(channelMessages)
    .set({ piecesSent, sendingSince: sql`now()`, mayBeSent: false, attempts: 0, replyTarget: null })
    .where(outgoing(id));
}

/** Keeps the claim of a message that takes long to send. */
export async function keepClaim(db: Db, id: string): Promise<void> {
  await db
    .update(channelMessages)
    .set({ sendingSince: sql`now()` })
    .where(outgoing(id));
}

/** Fails messages that nothing sends. */
export async function failMessages(db: Db, ids: readonly string[], error: string): Promise<void> {
  await db
    .update(channelMessages)
    .set({ status: "failed", error })
    .where(and(inArray(channelMessages.id, [...ids]), eq(channelMessages.status, "pending")));
}

/** Settles a claimed message. Returns the next one to the same place. */
export async function settleMessage(
  db: Db,
  id: string,
  outcome: { status: "delivered"; platformMessageId: string | null } | { status: "failed"; error: string },
): Promise<string | null> {
  const [row] = await db
    .update(channelMessages)
    .set({
      ...outcome,
      ...(outcome.status === "delivered" && { error: null, replyTarget: null }),
      sendingSince: null,
      nextAttemptAt: null,
    })
    .where(outgoing(id))
    .returning({ next: nextInPlace });
  return row?.next ?? null;
}

/** Gives up a claim until the next attempt. `mayBeSent` says whether the platform may have taken the piece. */
export async function postponeMessage(
  db: Db,
  id: string,
  { seconds, error, mayBeSent }: { seconds: number; error: string; mayBeSent: boolean },
): Promise<void> {
  await db
    .update(channelMessages)
    .set({
      attempts: sql`${channelMessages.attempts} + 1`,
      nextAttemptAt: sql`now() + make_interval(secs => ${seconds})`,
      sendingSince: null,
      error,
      mayBeSent: mayBeSent ? true : sql`${channelMessages.mayBeSent}`,
    })
    .where(outgoing(id));
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

/** Lets a failed message of a channel be sent again, and returns it. Undefined when there is none. */
export async function revive(
  db: Db,
  channelConfigId: string,
  id: string,
): Promise<ChannelMessage | undefined> {
  const [row] = await db
    .update(channelMessages)
    .set({ status: "pending", attempts: 0, nextAttemptAt: null, sendingSince: null, error: null })
    .where(
      and(
        eq(channelMessages.id, id),
        eq(channelMessages.channelConfigId, channelConfigId),
        eq(channelMessages.direction, "outbound"),
        eq(channelMessages.status, "failed"),
      ),
    )
    .returning();
  return row;
}

/** Messages that are due and that nothing sends: first in their place, by age. */
export async function strandedMessages(
  db: Db,
  { quietSeconds, limit }: { quietSeconds: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: channelMessages.id })
    .from(channelMessages)
    .where(
      and(
        eq(channelMessages.direction, "outbound"),
        eq(channelMessages.status, "pending"),
        sql`${channelMessages.createdAt} < now() - make_interval(secs => ${quietSeconds})`,
        sql`coalesce(${channelMessages.sendingSince} < now() - make_interval(secs => ${CLAIM_SECONDS}), true)`,
        sql`coalesce(${channelMessages.nextAttemptAt} < now() - make_interval(secs => ${quietSeconds}), true)`,
        isFirstInPlace,
      ),
    )
    .orderBy(channelMessages.id)
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Gives up messages that could not be sent for a day, so that nothing comes out of the blue. */
export async function failStale(db: Db, hours: number): Promise<void> {
  await db
    .update(channelMessages)
    .set({ status: "failed", sendingSince: null, error: "The message could not be sent for a day" })
    .where(
      and(
        eq(channelMessages.direction, "outbound"),
        eq(channelMessages.status, "pending"),
        sql`${channelMessages.createdAt} < now() - make_interval(hours => ${hours})`,
      ),
    );
}
