import { and, desc, eq, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { Platform } from "#src/channels/channel.ts";
import { channelConfigs, channelSessions, platformIdentities, users } from "#src/db/schema/index.ts";
import { isLive } from "#src/domain/messaging/channels/index.ts";
import { mayWrite } from "#src/domain/messaging/identities/index.ts";
import { linkOfSession } from "#src/domain/messaging/inbox/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** How a person is reached: the platforms on which the person has set a home, newest first, and the address. */
export async function waysToReach(
  db: Db,
  userId: string,
): Promise<{ platforms: Platform[]; email: string | undefined }> {
  const [homes, people] = await db.batch([
    db
      .select({ platform: platformIdentities.platform })
      .from(platformIdentities)
      .where(
        and(
          eq(platformIdentities.userId, userId),
          platformIdentities.isVerified,
          sql`${platformIdentities.homeChatId} IS NOT NULL`,
        ),
      )
      .orderBy(desc(platformIdentities.pairedAt), desc(platformIdentities.id)),
    db.select({ email: users.email }).from(users).where(eq(users.id, userId)),
  ]);
  return { platforms: [...new Set(homes.map(({ platform }) => platform))], email: people[0]?.email };
}

/**
 * A chat that results for a person may go to, and its channel: through an own channel every chat, unless the person wrote there
 * and is no longer linked; through another's a chat of the person's, while the channel carries what is about the project.
 */
export async function originChat(
  db: Db,
  { userId, projectId }: { userId: string; projectId: string },
  { channelId, chatId }: { channelId: string; chatId: string },
) {
  const [row] = await db
    .select({
      channel: channelConfigs,
      session: channelSessions,
      identityId: sql<string | null>`CASE WHEN channel_sessions.id IS NOT NULL THEN ${linkOfSession(
        sql`channel_sessions`,
        sql`channel_configs`,
      )} END`,
    })
    .from(channelConfigs)
    .leftJoin(
      channelSessions,
      and(
        eq(channelSessions.channelConfigId, channelConfigs.id),
        eq(channelSessions.userId, userId),
        eq(channelSessions.platformChatId, chatId),
      ),
    )
    .where(
      and(
        eq(channelConfigs.id, channelId),
        isLive,
        or(
          // A terminal is reached by its own person alone, who has a session there.
          and(
            eq(channelConfigs.userId, userId),
            ne(channelConfigs.channelType, "cli"),
            isNull(channelSessions.id),
          ),
          and(
            isNotNull(channelSessions.id),
            mayWrite({
              userId,
              projectId,
              identityId: linkOfSession(sql`channel_sessions`, sql`channel_configs`),
            }),
          ),
        ),
      ),
    )
    .orderBy(desc(channelSessions.lastActiveAt))
    .limit(1);
  return row;
}
