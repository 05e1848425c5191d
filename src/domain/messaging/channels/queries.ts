import { and, asc, desc, eq, getTableColumns, gte, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import { lockNames, shareOwnTeam } from "#src/db/locks.ts";
import { channelConfigs, channelMessages, type CHANNEL_LOSSES } from "#src/db/schema/index.ts";
import { rolesGranting, type LostAccess } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { roleInProject } from "#src/domain/workspaces/projects/index.ts";
import type { Client } from "#src/lib/client.ts";
import { newId } from "#src/lib/ids.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Channel = typeof channelConfigs.$inferSelect;
export type ChannelMessage = typeof channelMessages.$inferSelect;

type NewChannel = Omit<typeof channelConfigs.$inferInsert, "createdAt" | "updatedAt">;
/** Fields that are undefined stay as they are. */
type ChannelChange = {
  [Field in keyof Omit<NewChannel, "id" | "userId" | "channelType">]?: NewChannel[Field] | undefined;
};

/** Why a channel does not work. */
export type ChannelLoss = "deleted" | (typeof CHANNEL_LOSSES)[number];

/** A channel, and why it does not work; `loss` is null while it does. */
export type CheckedChannel = Channel & { loss: ChannelLoss | null };

/**
 * SQL value: why the channel of the row `channel_configs` does not work; null while it does. A channel is a way in, so it
 * works only while its account is active and its owner may manage channels in its project. An administrator's rights need
 * a sign-in, so they do not count. Every use of a channel asks this.
 */
export const channelLoss = sql<ChannelLoss | null>`CASE
  WHEN NOT channel_configs.is_active THEN coalesce(channel_configs.ended_because, 'deleted')
  WHEN NOT EXISTS (
    SELECT 1 FROM users AS owner WHERE owner.id = channel_configs.user_id AND owner.is_active
  ) THEN 'account_disabled'
  WHEN channel_configs.project_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM projects WHERE projects.id = channel_configs.project_id
      AND ${roleInProject({ userId: sql`channel_configs.user_id`, isSuperuser: false })}
        IN (${sql.join(rolesGranting("channel.manage"), sql`, `)})
  ) THEN 'access_lost' END`;

/** SQL condition: whether the channel of the row `channel_configs` works. The first part is what indexes have. */
export const isLive = sql<boolean>`(channel_configs.is_active AND ${channelLoss} IS NULL)`;

const checked = { ...getTableColumns(channelConfigs), loss: channelLoss };

const own = (userId: string, id: string) => and(eq(channelConfigs.userId, userId), eq(channelConfigs.id, id));

/** A person's channels, also deleted ones, newest first. */
export function channelsOf(db: Db, userId: string): Promise<CheckedChannel[]> {
  return db
    .select(checked)
    .from(channelConfigs)
    .where(eq(channelConfigs.userId, userId))
    .orderBy(desc(channelConfigs.createdAt), desc(channelConfigs.id));
}

/** A person's channel; no row for another person's. */
export async function channelOf(db: Db, userId: string, id: string): Promise<CheckedChannel | undefined> {
  const [row] = await db.select(checked).from(channelConfigs).where(own(userId, id));
  return row;
}

/** A channel that works; no row for one that does not. */
export const liveChannel = statement((db, { channelId }: { channelId: Slot<string> }) =>
  db
    .select()
    .from(channelConfigs)
    .where(and(eq(channelConfigs.id, channelId), isLive)),
);

/** As `liveChannel`; undefined for a channel that does not work. */
export async function activeChannel(db: Db, id: string): Promise<Channel | undefined> {
  const [row] = await liveChannel(db, { channelId: id });
  return row;
}

interface LimitedDb {
  db: Db;
  config: CeilingConfig<"channels" | "channel_connections">;
}

/** The ceilings on a channel that becomes active. Without `inboundMode`, the stored mode decides, read behind the lock. */
function placesOf(
  { userId, id }: Pick<Channel, "userId" | "id">,
  inboundMode: Channel["inboundMode"] | undefined,
) {
  const except = sql`id = ${id}::uuid`;
  const mode = sql`coalesce(${inboundMode ?? null}::text, (SELECT inbound_mode FROM channel_configs WHERE ${except}))`;
  return [
    {
      ceiling: "channel_connections",
      owner: sql`SELECT ${userId}::uuid WHERE ${mode} = 'connection'`,
      except,
    },
    { ceiling: "channels", owner: userId, except },
  ] as const;
}

/** Stores a channel with an entry in the log of the personal team. Throws the refusal of the ceilings on channels. */
export async function insertChannel(
  { db, config }: LimitedDb,
  channel: NewChannel & Pick<Channel, "inboundMode">,
  client: Client,
): Promise<Channel> {
  const { userId, id, channelType, name } = channel;
  const batch = db.batch([
    ...roomFor(db, config, placesOf(channel, channel.inboundMode)),
    // Before the person, to whom the new row refers.
    shareOwnTeam(db, userId),
    db.insert(channelConfigs).values(channel).returning(),
    insertAuditEntry(db, {
      ...entryOf(userId, id, client),
      action: "channel.created",
      details: { channel_type: channelType, name },
    }),
  ]);
  const [, , , [row]] = await whileThereIsRoom(batch);
  if (!row) throw new Error("The channel was not stored");
  return row;
}

/** A person's active command-line channel of a project, or of none; the oldest one. */
export function commandLineOf(db: Db, userId: string, projectId: string | null) {
  return db
    .select()
    .from(channelConfigs)
    .where(
      and(
        eq(channelConfigs.userId, userId),
        eq(channelConfigs.channelType, "cli"),
        projectId === null ? isNull(channelConfigs.projectId) : eq(channelConfigs.projectId, projectId),
        channelConfigs.isActive,
      ),
    )
    .orderBy(asc(channelConfigs.createdAt), asc(channelConfigs.id))
    .limit(1);
}

/** Stores a command-line channel unless the person has one for the project, and returns the one that there is. */
export async function insertCommandLine(
  db: Db,
  channel: NewChannel & { projectId: string | null },
  client: Client,
): Promise<Channel> {
  const { id, userId, projectId, channelType, name, gatewayShard } = channel;
  const [, , , , [row]] = await db.batch([
    // Clients that connect at once make one channel.
    lockNames(db, [`command-line:${userId}:${projectId ?? ""}`]),
    shareOwnTeam(db, userId),
    db.execute(sql`
      INSERT INTO channel_configs (id, user_id, project_id, channel_type, name, encrypted_credentials,
        encrypted_webhook_secret, gateway_shard)
      SELECT ${id}::uuid, ${userId}::uuid, ${projectId}::uuid, ${channelType}, ${name}, ${channel.encryptedCredentials},
        ${channel.encryptedWebhookSecret}, ${gatewayShard}
      WHERE NOT EXISTS (${commandLineOf(db, userId, projectId)})`),
    insertAuditEntry(
      db,
      {
        ...entryOf(userId, id, client),
        action: "channel.created",
        details: { channel_type: channelType, name },
      },
      sql`EXISTS (SELECT 1 FROM channel_configs WHERE id = ${id}::uuid)`,
    ),
    commandLineOf(db, userId, projectId),
  ]);
  if (!row) throw new Error("The channel was not stored");
  return row;
}

/**
 * Changes a person's channel, with an entry that names `fields` but no value. No row and no entry for a deleted channel when
 * only active ones are meant, and when the channel has got another project, or none, since it was read. Throws the refusal of
 * the ceilings on channels when it becomes active or gets a connection.
 */
export async function changeChannel(
  { db, config }: LimitedDb,
  { userId, id, projectId }: Pick<Channel, "userId" | "id" | "projectId">,
  {
    change,
    action,
    fields,
    onlyActive,
  }: { change: ChannelChange; action: string; fields: readonly string[]; onlyActive: boolean },
  client: Client,
): Promise<Channel | undefined> {
  const meant = and(
    own(userId, id),
    sql`${channelConfigs.projectId} IS NOT DISTINCT FROM ${projectId}::uuid`,
    onlyActive ? channelConfigs.isActive : undefined,
  );
  const { isActive, inboundMode } = change;
  const needsRoom = isActive === true || inboundMode === "connection";
  const batch = db.batch([
    ...roomFor(db, config, needsRoom ? placesOf({ userId, id }, inboundMode) : []),
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
  const [, , , , , [changed]] = await whileThereIsRoom(batch);
  return changed;
}

/** Notes what failed last at the channel's platform; null after a success. Returns the channel as it is then. */
export async function noteLastError(
  db: Db,
  id: string,
  lastError: string | null,
): Promise<Channel | undefined> {
  const [row] = await db
    .update(channelConfigs)
    .set({ lastError })
    .where(eq(channelConfigs.id, id))
    .returning();
  return row;
}

/** Notes a failure for the owner of the channel; null after a success. */
export async function noteFailure(db: Db, channelConfigId: string, error: string | null): Promise<void> {
  await db
    .update(channelConfigs)
    .set({ lastError: error })
    .where(
      and(
        eq(channelConfigs.id, channelConfigId),
        sql`${channelConfigs.lastError} IS DISTINCT FROM ${error}::text`,
      ),
    );
}

/** Write of a job's outcome, as `noteFailure`. */
export const failureNoted = (channelConfigId: string, error: string | null): SQL =>
  sql`UPDATE channel_configs SET last_error = ${error}::text FROM job
    WHERE channel_configs.id = ${channelConfigId}::uuid AND last_error IS DISTINCT FROM ${error}::text`;

/** Stores a message that was sent past the outbox, or could not be sent. */
export async function insertSentMessage(
  db: Db,
  message: Pick<
    typeof channelMessages.$inferInsert,
    "channelConfigId" | "jid" | "content" | "platformMessageId" | "status" | "error"
  >,
): Promise<void> {
  await db.insert(channelMessages).values({ id: newId(), direction: "outbound", ...message });
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

/** A channel as its shard sees it. */
export interface ConnectionChannel {
  id: string;
  /** A revision of the channel: it changes when the connection has a change to follow, and not with its state. */
  fingerprint: string;
  state: Channel["connectionState"];
  lastError: string | null;
}

/**
 * The channels that a shard keeps connected. Those of a shard whose number is no longer in use belong to the shard of the
 * remainder.
 */
export function connectionChannels(
  db: Db,
  { shard, shards }: { shard: number; shards: number },
): Promise<ConnectionChannel[]> {
  const { gatewayShard, updatedAt, encryptedCredentials, botId, botName, provedAt } = channelConfigs;
  return db
    .select({
      id: channelConfigs.id,
      fingerprint: sql<string>`md5(concat_ws(' ', ${encryptedCredentials}, ${updatedAt}, coalesce(${botId}, '-'),
        coalesce(${botName}, '-'), ${provedAt} IS NULL))`,
      state: channelConfigs.connectionState,
      lastError: channelConfigs.lastError,
    })
    .from(channelConfigs)
    .where(
      and(
        isLive,
        eq(channelConfigs.inboundMode, "connection"),
        // Command-line clients connect by themselves.
        ne(channelConfigs.channelType, "cli"),
        or(
          and(eq(gatewayShard, shard), sql`${shard}::int < ${shards}::int`),
          and(gte(gatewayShard, shards), sql`${gatewayShard} % ${shards} = ${shard}`),
        ),
      ),
    );
}

/** Stores how the channel's connection is doing. Shards do not take it for a change of the channel. */
export async function setConnectionState(
  db: Db,
  id: string,
  { state, lastError }: { state: Channel["connectionState"]; lastError: string | null },
): Promise<void> {
  await db.update(channelConfigs).set({ connectionState: state, lastError }).where(eq(channelConfigs.id, id));
}

/**
 * Stores who the bot is, unless the credentials were changed since the platform was asked. Returns the channel as it is then.
 */
export async function storeBot(
  db: Db,
  { id, encryptedCredentials }: Pick<Channel, "id" | "encryptedCredentials">,
  bot: Partial<Channel>,
): Promise<Channel | undefined> {
  const [row] = await db
    .update(channelConfigs)
    .set(bot)
    .where(and(eq(channelConfigs.id, id), eq(channelConfigs.encryptedCredentials, encryptedCredentials)))
    .returning();
  return row;
}

/** Seconds between two attempts to prove a bot: as long as it has not been proved, from a minute to an hour. */
const nextProof = sql`now() + least(greatest(now() - coalesce(${channelConfigs.updatedAt}, ${channelConfigs.createdAt}),
  interval '1 minute'), interval '1 hour')`;

/**
 * Plans a question to the platform for each bot that was proved before so many hours, at some time within the minutes. A
 * person's terminals have none that could be asked.
 */
export async function planProofs(
  db: Db,
  { olderThanHours, withinMinutes }: { olderThanHours: number; withinMinutes: number },
): Promise<void> {
  await db
    .update(channelConfigs)
    .set({ proveAt: sql`now() + random() * make_interval(mins => ${withinMinutes})` })
    .where(
      and(
        isLive,
        ne(channelConfigs.channelType, "cli"),
        sql`${channelConfigs.provedAt} <= now() - make_interval(hours => ${olderThanHours})`,
      ),
    );
}

/** Takes channels whose bot is to be proved now; each has its next attempt stored before this one. */
export function takeUnproved(db: Db, limit: number): Promise<Channel[]> {
  const due = sql`${channelConfigs.id} IN (SELECT c.id FROM channel_configs c WHERE c.prove_at <= now() AND c.is_active
    ORDER BY c.prove_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
  return db.update(channelConfigs).set({ proveAt: nextProof }).where(due).returning();
}

/** Ends the channels of a person, or of a project, whose owners have lost the right to them. Returns what was ended. */
export function endLostChannels(db: Db, lost: Exclude<LostAccess, { keyId: string }>) {
  return db
    .update(channelConfigs)
    .set({ isActive: false, endedBecause: sql`${channelLoss}` })
    .where(
      and(
        "userId" in lost
          ? eq(channelConfigs.userId, lost.userId)
          : eq(channelConfigs.projectId, lost.projectId),
        channelConfigs.isActive,
        sql`${channelLoss} IS NOT NULL`,
      ),
    )
    .returning({
      name: channelConfigs.name,
      gatewayShard: channelConfigs.gatewayShard,
      loss: channelConfigs.endedBecause,
      email: sql<string>`(SELECT owner.email FROM users AS owner WHERE owner.id = channel_configs.user_id)`,
    });
}

const entryOf = (userId: string, id: string, client: Client) => ({
  userId,
  resourceType: "channel",
  resourceId: id,
  client,
});
