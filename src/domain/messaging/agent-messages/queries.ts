import { and, asc, desc, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import {
  channelConfigs,
  channelMessages,
  channelSessions,
  platformIdentities,
} from "#src/db/schema/index.ts";
import type { Place, Platform } from "#src/channels/channel.ts";
import { isLive, type Channel } from "#src/domain/messaging/channels/index.ts";
import { carries, linkCounts, type Identity } from "#src/domain/messaging/identities/index.ts";
import { newId } from "#src/lib/ids.ts";
import { sourceIn } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A task whose agent sends a message. */
export interface SendingTask {
  id: string;
  userId: string;
  projectId: string;
  apiKeyId: string | null;
}

/** A channel that a task may send through. */
export interface Candidate {
  channel: Channel;
  /** Whether the channel belongs to the task's user. Another person's channel reaches only the user's own chats. */
  isOwn: boolean;
  /** The user's links that count in the channel. */
  linkIds: string[];
}

export type Session = typeof channelSessions.$inferSelect;

/** Decides where a task's message may go on one platform. */
export interface Reach {
  userId: string;
  /** Preferred channels first. */
  candidates: Candidate[];
  /** The user's verified identities, newest first. */
  identities: Identity[];
  /** The user's sessions in these channels. In the user's own channels also sessions of others that a target names. */
  sessions: Session[];
}

/** Most sessions that are read. The sessions that were active last come first. */
const SESSIONS = 200;

/**
 * Reads what decides where a task's message may go. Candidates are the user's active channels, the channel that the task came
 * from, and the user's home on the platform. Each must carry messages about the task's project.
 *
 * Two rules narrow the candidates. If the task's key is bound to projects, the user's channels and home must be of the
 * task's project. If the task came through another person's channel, that channel is the only candidate.
 */
export async function readReach(
  db: Db,
  { id: taskId, userId, projectId }: SendingTask,
  {
    platform,
    targets,
    preferredChannelId = null,
  }: {
    platform: Platform;
    targets: readonly string[];
    preferredChannelId?: string | null | undefined;
  },
): Promise<Reach> {
  const origin = sql`(
    SELECT s.channel_config_id FROM tasks t
    JOIN channel_sessions s ON s.id = ${sourceIn(sql`t`).sessionId}
    WHERE t.id = ${taskId}::uuid AND s.user_id = ${userId}::uuid)`;
  // The owner of that channel says who writes there, and has no rights on the user's own bots.
  const isForeign = sql`EXISTS (SELECT 1 FROM channel_configs AS asked
    WHERE asked.id = ${origin} AND asked.user_id <> ${userId}::uuid)`;
  const isWithinKey = sql`NOT EXISTS (
    SELECT 1 FROM tasks t JOIN external_api_keys k ON k.id = t.api_key_id
    WHERE t.id = ${taskId}::uuid AND k.project_ids IS NOT NULL
      AND ${channelConfigs.projectId} IS DISTINCT FROM ${projectId}::uuid)`;
  const isHome = sql`EXISTS (
    SELECT 1 FROM platform_identities i
    WHERE i.home_channel_config_id = ${channelConfigs.id} AND i.user_id = ${userId}::uuid AND i.is_verified
      AND i.platform = ${platform})`;
  const isOwn = sql<boolean>`(${channelConfigs.userId} = ${userId}::uuid)`;
  const isOrigin = sql`coalesce(${channelConfigs.id} = ${origin}, false)`;
  const isCandidate = and(
    eq(channelConfigs.channelType, platform),
    isLive,
    carries(userId, projectId),
    or(isOrigin, and(sql`NOT ${isForeign}`, isWithinKey, or(isOwn, isHome))),
  );
  const linkIds = sql<string[]>`ARRAY(SELECT link.id FROM platform_identities AS link
    WHERE link.user_id = ${userId}::uuid AND link.platform = ${platform} AND ${linkCounts})`;
  const [candidates, identities, sessions] = await db.batch([
    db
      .select({ channel: channelConfigs, isOwn, linkIds })
      .from(channelConfigs)
      .where(isCandidate)
      .orderBy(
        desc(sql`coalesce(${channelConfigs.id} = ${preferredChannelId}::uuid, false)`),
        desc(isOrigin),
        desc(sql`coalesce(${channelConfigs.projectId} = ${projectId}::uuid, false)`),
        asc(channelConfigs.createdAt),
        asc(channelConfigs.id),
      ),
    db
      .select()
      .from(platformIdentities)
      .where(
        and(
          eq(platformIdentities.userId, userId),
          eq(platformIdentities.platform, platform),
          platformIdentities.isVerified,
        ),
      )
      .orderBy(desc(platformIdentities.pairedAt), desc(platformIdentities.id)),
    db
      .select({ session: channelSessions })
      .from(channelSessions)
      .innerJoin(channelConfigs, eq(channelConfigs.id, channelSessions.channelConfigId))
      .where(
        and(
          isCandidate,
          or(
            eq(channelSessions.userId, userId),
            targets.length > 0 ? and(isOwn, isNamed(targets)) : undefined,
          ),
        ),
      )
      .orderBy(desc(channelSessions.lastActiveAt), desc(channelSessions.id))
      .limit(SESSIONS),
  ]);
  return { userId, candidates, identities, sessions: sessions.map(({ session }) => session) };
}

/** SQL condition: a target names the session's chat, the session's thread, or the person of a private chat. */
function isNamed(targets: readonly string[]) {
  const { platformChatId, platformThreadId, platformChatType, senderId } = channelSessions;
  return or(
    inArray(platformChatId, [...targets]),
    inArray(sql`${platformChatId} || ':' || ${platformThreadId}`, [...targets]),
    // On Slack a person's id begins with the workspace, `T1:U1`. A target may name the person without it.
    and(
      eq(platformChatType, "dm"),
      or(inArray(senderId, [...targets]), inArray(sql`split_part(${senderId}, ':', 2)`, [...targets])),
    ),
  );
}

/**
 * Finds a chat that one of these channels has written to, and returns the values of the last message to it. Only messages for
 * a person, messages of a task and tests by the channel's owner count. A message to a stranger does not count, because the
 * stranger chose that chat.
 */
export async function exchangedChat(db: Db, channelIds: readonly string[], jids: readonly string[]) {
  if (channelIds.length === 0) return undefined;
  const { channelConfigId, jid, platformChatType, status, createdAt } = channelMessages;
  const [row] = await db
    .select({ channelId: channelConfigId, jid, chatType: platformChatType })
    .from(channelMessages)
    .where(
      and(
        inArray(channelConfigId, [...channelIds]),
        inArray(jid, [...jids]),
        eq(status, "delivered"),
        or(
          isNull(channelMessages.occasion),
          isNotNull(channelMessages.userId),
          isNotNull(channelMessages.taskId),
        ),
      ),
    )
    .orderBy(desc(createdAt))
    .limit(1);
  return row;
}

/**
 * Moves a person's session at a place to another chat, unless its present chat has an unfinished task. Creates the session if
 * it is missing and the person has a link that counts in the channel.
 */
export async function pointSession(
  db: Db,
  {
    channelId,
    sessionKey,
    place,
    userId,
    chatId,
  }: { channelId: string; sessionKey: string; place: Place; userId: string; chatId: string },
): Promise<void> {
  await db.execute(sql`
    INSERT INTO channel_sessions (id, channel_config_id, session_key, user_id, platform_chat_id, platform_chat_type,
      platform_thread_id, sender_id, sender_name, identity_id, chat_id, last_active_at)
    SELECT ${newId()}::uuid, channel_configs.id, ${sessionKey}::text, ${userId}::uuid, ${place.chatId}::text,
      ${place.chatType}::text, ${place.threadId ?? null}::text, link.platform_user_id, coalesce(link.platform_username, ''),
      link.id, ${chatId}::uuid, now()
    FROM channel_configs
    JOIN platform_identities AS link ON link.user_id = ${userId}::uuid AND ${linkCounts}
    WHERE channel_configs.id = ${channelId}::uuid
    ORDER BY link.paired_at DESC
    LIMIT 1
    ON CONFLICT (channel_config_id, session_key, user_id) DO UPDATE
      SET chat_id = excluded.chat_id, last_active_at = now()
      WHERE NOT EXISTS (SELECT 1 FROM chats b WHERE b.id = channel_sessions.chat_id AND b.unfinished_tasks <> '{}')`);
}
