import { alias } from "drizzle-orm/pg-core";
import { and, count, desc, eq, getTableColumns, gt, isNotNull, sql } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { channelConfigs, platformIdentities, projects, teams, users } from "#src/db/schema/index.ts";
import type { Platform } from "#src/channels/channel.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { linkCounts } from "./link-rules.ts";

export type Identity = typeof platformIdentities.$inferSelect;

export interface NewCode {
  platform: Platform;
  platformUserId: string;
  platformUsername: string;
  channelConfigId: string;
  codeHash: string;
}

/**
 * Stores a pairing code for a sender who is not linked in the channel, in place of an earlier one. False when the sender got
 * a code within `pauseMinutes`, is linked, or when the channel has `maxPending` codes of others that still count.
 */
export async function putCode(
  db: Db,
  code: NewCode,
  limits: { ttlSeconds: number; pauseMinutes: number; maxPending: number },
): Promise<boolean> {
  const values = {
    ...code,
    pairingExpiresAt: sql`now() + make_interval(secs => ${limits.ttlSeconds})`,
    codeSentAt: sql`now()`,
  };
  const [, rows] = await db.batch([
    // Codes of one channel are counted one after the other.
    lockNames(db, [`pairing:${code.channelConfigId}`]),
    db
      .insert(platformIdentities)
      .select(
        sql`SELECT ${newId()}::uuid, NULL::uuid, ${code.platform}, ${code.platformUserId}, ${code.platformUsername}, false,
          ${code.codeHash}, ${values.pairingExpiresAt}, now(), ${code.channelConfigId}::uuid, NULL::timestamptz, NULL::uuid, NULL::text,
          NULL::text, now()
          WHERE (${pendingOf(db, code)}) < ${limits.maxPending}`,
      )
      .onConflictDoUpdate({
        target: [platformIdentities.channelConfigId, platformIdentities.platformUserId],
        set: values,
        setWhere: sql`NOT ${platformIdentities.isVerified} AND (${platformIdentities.codeSentAt} IS NULL
          OR ${platformIdentities.codeSentAt} < now() - make_interval(mins => ${limits.pauseMinutes}))`,
      })
      .returning({ id: platformIdentities.id }),
  ]);
  return rows.length > 0;
}

/** Forgets the code of a sender, and when it was sent. */
export async function deleteCode(
  db: Db,
  { channelConfigId, platformUserId }: Pick<NewCode, "channelConfigId" | "platformUserId">,
): Promise<void> {
  await db
    .update(platformIdentities)
    .set({ codeHash: null, pairingExpiresAt: null, codeSentAt: null })
    .where(
      and(
        eq(platformIdentities.channelConfigId, channelConfigId),
        eq(platformIdentities.platformUserId, platformUserId),
        eq(platformIdentities.isVerified, false),
      ),
    );
}

/** Codes of a channel that other people have and that still count. */
function pendingOf(db: Db, { channelConfigId, platformUserId }: NewCode) {
  return db
    .select({ pending: count() })
    .from(platformIdentities)
    .where(
      and(
        eq(platformIdentities.channelConfigId, channelConfigId),
        isNotNull(platformIdentities.codeHash),
        gt(platformIdentities.pairingExpiresAt, sql`now()`),
        sql`${platformIdentities.platformUserId} <> ${platformUserId}`,
      ),
    );
}

/** A live code of a platform. */
const isLiveCode = ({ platform, codeHash }: { platform: Platform; codeHash: string }) =>
  and(
    eq(platformIdentities.codeHash, codeHash),
    eq(platformIdentities.platform, platform),
    eq(platformIdentities.isVerified, false),
    gt(platformIdentities.pairingExpiresAt, sql`now()`),
    sql`EXISTS (SELECT 1 FROM channel_configs c WHERE c.id = ${platformIdentities.channelConfigId} AND c.is_active)`,
  );

/** Links the sender with a live code to a user, once. No row for a code that is unknown, expired or used. */
export async function verifyCode(
  db: Db,
  { userId, ...code }: { userId: string; platform: Platform; codeHash: string },
): Promise<Identity | undefined> {
  const [[row]] = await db.batch([
    db
      .update(platformIdentities)
      .set({ userId, isVerified: true, pairedAt: sql`now()`, codeHash: null, pairingExpiresAt: null })
      .where(isLiveCode(code))
      .returning(),
    // A person who was linked here before goes on in the same conversations.
    db.execute(sql`
      UPDATE channel_sessions s SET identity_id = i.id FROM platform_identities i
      WHERE s.user_id = ${userId}::uuid AND s.identity_id IS NULL AND i.user_id = s.user_id AND i.is_verified
        AND i.channel_config_id = s.channel_config_id AND i.platform_user_id = s.sender_id`),
  ]);
  return row;
}

/** A channel as the people who write through it know it. */
export interface ChannelCard {
  id: string;
  name: string;
  ownerId: string;
  ownerName: string;
  ownerEmail: string;
  /** Null for a channel without a project. */
  projectName: string | null;
  teamName: string | null;
  sharesLinks: boolean;
}

const card = {
  id: channelConfigs.id,
  name: channelConfigs.name,
  ownerId: users.id,
  ownerName: sql<string>`coalesce(nullif(${users.name}, ''), ${users.username})`,
  ownerEmail: users.email,
  projectName: projects.name,
  teamName: teams.name,
  sharesLinks: sql<boolean>`${channelConfigs.linksSharedSince} IS NOT NULL`,
};

/** A link, and the channel that it is in. */
export interface ShownIdentity {
  identity: Identity;
  channel: ChannelCard;
}

function shownIdentities(db: Db) {
  return db
    .select({ identity: getTableColumns(platformIdentities), channel: card })
    .from(platformIdentities)
    .innerJoin(channelConfigs, eq(channelConfigs.id, platformIdentities.channelConfigId))
    .innerJoin(users, eq(users.id, channelConfigs.userId))
    .leftJoin(projects, eq(projects.id, channelConfigs.projectId))
    .leftJoin(teams, eq(teams.id, projects.teamId));
}

/** Whom a live code links, and in which channel. */
export async function identityOfCode(
  db: Db,
  code: { platform: Platform; codeHash: string },
): Promise<ShownIdentity | undefined> {
  const [row] = await shownIdentities(db).where(isLiveCode(code));
  return row;
}

/** A channel for those who write to it. */
export async function cardOfChannel(db: Db, channelId: string): Promise<ChannelCard | undefined> {
  const [row] = await db
    .select(card)
    .from(channelConfigs)
    .innerJoin(users, eq(users.id, channelConfigs.userId))
    .leftJoin(projects, eq(projects.id, channelConfigs.projectId))
    .leftJoin(teams, eq(teams.id, projects.teamId))
    .where(eq(channelConfigs.id, channelId));
  return row;
}

/** A user's links, newest first. */
export function identitiesOf(db: Db, userId: string): Promise<ShownIdentity[]> {
  return shownIdentities(db)
    .where(and(eq(platformIdentities.userId, userId), platformIdentities.isVerified))
    .orderBy(desc(platformIdentities.pairedAt), desc(platformIdentities.id));
}

/** The user's newest link that counts in a channel. */
export async function linkIn(db: Db, userId: string, channelId: string): Promise<Identity | undefined> {
  const link = alias(platformIdentities, "link");
  const [row] = await db
    .select(getTableColumns(link))
    .from(link)
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelId))
    .where(and(eq(link.userId, userId), eq(link.platform, channelConfigs.channelType), linkCounts))
    .orderBy(desc(link.pairedAt), desc(link.id))
    .limit(1);
  return row;
}

/** Deletes a link of the user's, or one that waits for a code which a channel of the user's sent. */
export async function deleteIdentity(db: Db, userId: string, id: string): Promise<Identity | undefined> {
  const [row] = await db
    .delete(platformIdentities)
    .where(
      and(
        eq(platformIdentities.id, id),
        sql`(${platformIdentities.userId} = ${userId} OR (NOT ${platformIdentities.isVerified}
          AND EXISTS (SELECT 1 FROM channel_configs c WHERE c.id = ${platformIdentities.channelConfigId} AND c.user_id = ${userId})))`,
      ),
    )
    .returning();
  return row;
}
