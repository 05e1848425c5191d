import { and, eq, sql } from "drizzle-orm";
import type { Place } from "#src/channels/channel.ts";
import { channelConfigs, channelSessions, messages, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A task of a platform: whether it is at work, and where its person waits. Undefined for every other task. */
export async function workOf(db: Db, taskId: string) {
  const [row] = await db
    .select({
      status: tasks.status,
      isAsking: sql<boolean>`EXISTS (SELECT 1 FROM approvals a
        WHERE a.task_id = ${tasks.id} AND a.response IS NULL AND a.expires_at > now())`,
      channel: channelConfigs,
      session: channelSessions,
      messageId: sql<string | null>`${messages.messageMetadata} #>> '{channel,message_id}'`,
    })
    .from(tasks)
    .innerJoin(messages, and(eq(messages.taskId, tasks.id), eq(messages.role, "user")))
    .innerJoin(
      channelSessions,
      sql`${channelSessions.id} = (${messages.messageMetadata} #>> '{channel,session_id}')::uuid`,
    )
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelSessions.channelConfigId))
    .where(eq(tasks.id, taskId));
  if (!row) return undefined;
  const { session, ...rest } = row;
  const place: Place = {
    chatId: session.platformChatId,
    chatType: session.platformChatType,
    threadId: session.platformThreadId ?? undefined,
  };
  return { ...rest, place };
}
