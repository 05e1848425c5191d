import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { channelConfigs, channelMessages, tasks } from "#src/db/schema/index.ts";
import {
  channelLoss,
  type Channel,
  type ChannelLoss,
  type ChannelMessage,
} from "#src/domain/messaging/channels/index.ts";
import { mayWrite } from "#src/domain/messaging/identities/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Lease on a message. Its executor renews it well within that time, so a lease that has ended is of a dead executor. */
const LEASE_SECONDS = 10;

/** End of a lease that begins or is renewed now. It is the earliest time of the next attempt, like a pause. */
const leased = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;

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

/** An executor's hold on a message. A later executor has another `since`. */
export interface Hold {
  id: string;
  since: Date;
}

/** The message, while no later executor has claimed it. Every write of an executor asks this. */
const held = ({ id, since }: Hold) => and(outgoing(id), eq(channelMessages.sendingSince, since));

/** Asked at each attempt: what was stored may outlive the right to it. */
const isAllowed = sql<boolean>`(channel_messages.user_id IS NULL OR ${mayWrite({
  userId: sql`channel_messages.user_id`,
  projectId: sql`tasks.project_id`,
  identityId: sql`channel_messages.identity_id`,
})})`;

/** A message to be sent by this executor, and its channel. */
export interface ClaimedMessage {
  hold: Hold;
  message: ChannelMessage;
  channel: Channel;
  /** Why the channel does not work; null while it does. */
  loss: ChannelLoss | null;
  /** Whether its person may still be written to here. */
  isAllowed: boolean;
}

/** A message that another executor sends, or died sending: it may be claimed once that lease has ended. */
export interface LeasedMessage {
  leaseUntil: Date;
  secondsLeft: number;
}

/**
 * Claims a message for an attempt to send it. Undefined when it is settled, not due, or when an earlier message to the same
 * place is still to be sent.
 */
export async function claimMessage(db: Db, id: string): Promise<ClaimedMessage | LeasedMessage | undefined> {
  const [claimed, channels, leases] = await db.batch([
    db
      .update(channelMessages)
      .set({
        sendingSince: sql`now()`,
        nextAttemptAt: leased,
        mayBeSent: sql`${channelMessages.mayBeSent} OR ${channelMessages.sendingSince} IS NOT NULL`,
      })
      .where(
        and(outgoing(id), sql`coalesce(${channelMessages.nextAttemptAt} <= now(), true)`, isFirstInPlace),
      )
      .returning(),
    db
      .select({ channel: channelConfigs, loss: channelLoss, isAllowed })
      .from(channelConfigs)
      .innerJoin(channelMessages, eq(channelMessages.channelConfigId, channelConfigs.id))
      .leftJoin(tasks, eq(tasks.id, channelMessages.taskId))
      .where(eq(channelMessages.id, id)),
    db
      .select({
        leaseUntil: channelMessages.nextAttemptAt,
        secondsLeft: sql<number>`extract(epoch FROM ${channelMessages.nextAttemptAt} - now())::float8`,
      })
      .from(channelMessages)
      .where(and(outgoing(id), isNotNull(channelMessages.sendingSince), isFirstInPlace)),
  ]);
  const [message] = claimed;
  const [found] = channels;
  if (message?.sendingSince && found) return { hold: { id, since: message.sendingSince }, message, ...found };
  const [lease] = leases;
  return lease?.leaseUntil ? { leaseUntil: lease.leaseUntil, secondsLeft: lease.secondsLeft } : undefined;
}

/** Notes that the platform has taken another piece, and renews the lease. False once another executor has the message. */
export async function notePiece(db: Db, hold: Hold, piecesSent: number): Promise<boolean> {
  const rows = await db
    .update(channelMessages)
    .set({ piecesSent, nextAttemptAt: leased, mayBeSent: false, attempts: 0, replyTarget: null })
    .where(held(hold))
    .returning({ id: channelMessages.id });
  return rows.length > 0;
}

/** Renews the lease. False once another executor has the message. */
export async function renewLease(db: Db, hold: Hold): Promise<boolean> {
  const rows = await db
    .update(channelMessages)
    .set({ nextAttemptAt: leased })
    .where(held(hold))
    .returning({ id: channelMessages.id });
  return rows.length > 0;
}

/** Fails messages that nothing sends. */
export async function failMessages(db: Db, ids: readonly string[], error: string): Promise<void> {
  await db
    .update(channelMessages)
    .set({ status: "failed", error })
    .where(and(inArray(channelMessages.id, [...ids]), eq(channelMessages.status, "pending")));
}

/**
 * Settles a claimed message. Returns the next one to the same place, if any; undefined, and nothing is stored, once another
 * executor has the message.
 */
export async function settleMessage(
  db: Db,
  hold: Hold,
  outcome: { status: "delivered"; platformMessageId: string | null } | { status: "failed"; error: string },
): Promise<string | null | undefined> {
  const [row] = await db
    .update(channelMessages)
    .set({
      ...outcome,
      ...(outcome.status === "delivered" && { error: null, replyTarget: null }),
      sendingSince: null,
      nextAttemptAt: null,
    })
    .where(held(hold))
    .returning({ next: nextInPlace });
  return row && row.next;
}

/**
 * Ends the lease until the next attempt. `mayBeSent` says whether the platform may have taken the piece. False once another
 * executor has the message.
 */
export async function postponeMessage(
  db: Db,
  hold: Hold,
  { seconds, error, mayBeSent }: { seconds: number; error: string; mayBeSent: boolean },
): Promise<boolean> {
  const rows = await db
    .update(channelMessages)
    .set({
      attempts: sql`${channelMessages.attempts} + 1`,
      nextAttemptAt: sql`now() + make_interval(secs => ${seconds})`,
      sendingSince: null,
      error,
      mayBeSent: mayBeSent ? true : sql`${channelMessages.mayBeSent}`,
    })
    .where(held(hold))
    .returning({ id: channelMessages.id });
  return rows.length > 0;
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
        // A lease that has ended needs no further patience: its executor is dead.
        sql`coalesce(${channelMessages.nextAttemptAt}, ${channelMessages.createdAt}) < now()
          - make_interval(secs => CASE WHEN ${channelMessages.sendingSince} IS NULL THEN ${quietSeconds}::int ELSE 0 END)`,
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
