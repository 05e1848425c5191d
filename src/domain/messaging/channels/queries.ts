import { and, desc, eq, sql } from "drizzle-orm";
import { shareOwnTeam } from "#src/db/locks.ts";
import { channelConfigs, channelMessages } from "#src/db/schema/index.ts";
import { insertAuditEntry } from "#src/domain/organisations/audit/index.ts";
import type { Client } from "#src/lib/client.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Channel = typeof channelConfigs.$inferSelect;
export type ChannelMessage = typeof channelMessages.$inferSelect;

type NewChannel = Omit<typeof channelConfigs.$inferInsert, "createdAt" | "updatedAt">;
/** Fields that are undefined stay as they are. */
type ChannelChange = {
  [Field in keyof Omit<NewChannel, "id" | "userId" | "channelType">]?: NewChannel[Field] | undefined;
};

const own = (userId: string, id: string) => and(eq(channelConfigs.userId, userId), eq(channelConfigs.id, id));

/** A person's channels, also deleted ones, newest first. */
export function channelsOf(db: Db, userId: string): Promise<Channel[]> {
  return db
    .select()
    .from(channelConfigs)
    .where(eq(channelConfigs.userId, userId))
    .orderBy(desc(channelConfigs.createdAt), desc(channelConfigs.id));
}

/** A person's channel; no row for another person's. */
export async function channelOf(db: Db, userId: string, id: string): Promise<Channel | undefined> {
  const [row] = await db.select().from(channelConfigs).where(own(userId, id));
  return row;
}

/** The channel of a webhook; no row once it is deleted. */
export async function activeChannel(db: Db, id: string): Promise<Channel | undefined> {
  const [row] = await db
    .select()
    .from(channelConfigs)
    .where(and(eq(channelConfigs.id, id), channelConfigs.isActive));
  return row;
}

/** Stores a channel with an entry in the log of the personal team. */
export async function insertChannel(db: Db, channel: NewChannel, client: Client): Promise<Channel> {
  const { userId, id, channelType, name } = channel;
  const [, rows] = await db.batch([
    // Before the person, to whom the new row refers.
    shareOwnTeam(db, userId),
    db.insert(channelConfigs).values(channel).returning(),
    insertAuditEntry(db, {
      ...entryOf(userId, id, client),
      action: "channel.created",
      details: { channel_type: channelType, name },
    }),
  ]);
  const [row] = rows;
  if (!row) throw new Error("The channel was not stored");
  return row;
}

/**
 * Changes a person's channel, with an entry that names `fields` but no value. No row and no entry for a deleted channel when
 * only active ones are meant.
 */
export async function changeChannel(
  db: Db,
  { userId, id }: Pick<Channel, "userId" | "id">,
  {
    change,
    action,
    fields,
    onlyActive,
  }: { change: ChannelChange; action: string; fields: readonly string[]; onlyActive: boolean },
  client: Client,
): Promise<Channel | undefined> {
  const meant = onlyActive ? and(own(userId, id), channelConfigs.isActive) : own(userId, id);
  const [, , , rows] = await db.batch([
    shareOwnTeam(db, userId),
    // Of two changes at once the second waits here, and finds what the first has left.
    db.select({ id: channelConfigs.id }).from(channelConfigs).where(own(userId, id)).for("update"),
    insertAuditEntry(
      db,
      { ...entryOf(userId, id, client), action, details: { fields } },
      sql`EXISTS (SELECT 1 FROM ${channelConfigs} WHERE ${meant})`,
    ),
    db
      .update(channelConfigs)
      .set({ ...change, updatedAt: sql`now()` })
      .where(meant)
      .returning(),
  ]);
  return rows[0];
}

/** A page of a channel's messages, newest first. */
export function messagesOf(
  db: Db,
  channelConfigId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ChannelMessage[]> {
  return db
    .select()
    .from(channelMessages)
    .where(eq(channelMessages.channelConfigId, channelConfigId))
    .orderBy(desc(channelMessages.createdAt), desc(channelMessages.id))
    .limit(limit)
    .offset(offset);
}

const entryOf = (userId: string, id: string, client: Client) => ({
  userId,
  resourceType: "channel",
  resourceId: id,
  client,
});
