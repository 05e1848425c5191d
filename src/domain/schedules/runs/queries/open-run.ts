import { and, desc, eq, or, sql } from "drizzle-orm";
import {
  channelConfigs,
  channelSessions,
  scheduleRuns,
  schedules,
  tasks,
  users,
} from "#src/db/schema/index.ts";
import { isLive } from "#src/domain/messaging/channels/index.ts";
import { mayWrite } from "#src/domain/messaging/identities/index.ts";
import { linkOfSession } from "#src/domain/messaging/inbox/index.ts";
import type { Schedule } from "#src/domain/schedules/definitions/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Run = typeof scheduleRuns.$inferSelect;

/** A run, its schedule, and its task if it exists. */
export interface OpenRun {
  run: Run;
  schedule: Schedule;
  /** Whether the owner's account is active. */
  isOwnerActive: boolean;
  /** Task id of the run that waits longest behind this one; null for none. */
  waiting: string | null;
  task: {
    status: (typeof tasks.$inferSelect)["status"];
    chatId: string;
    response: string | null;
    error: string | null;
  } | null;
}

/** Reads the run of a task. */
export function runOfTask(db: Db, taskId: string) {
  return db
    .select({
      run: scheduleRuns,
      schedule: schedules,
      isOwnerActive: users.isActive,
      waiting: sql<string | null>`CASE WHEN ${schedules.overlap} = 'queue' THEN (
        SELECT w.task_id FROM schedule_runs w
        WHERE w.schedule_id = ${schedules.id} AND w.status = 'waiting' AND w.id <> ${scheduleRuns.id}
        ORDER BY w.id LIMIT 1) END`,
      task: { status: tasks.status, chatId: tasks.chatId, response: tasks.response, error: tasks.error },
    })
    .from(scheduleRuns)
    .innerJoin(schedules, eq(schedules.id, scheduleRuns.scheduleId))
    .innerJoin(users, eq(users.id, schedules.userId))
    .leftJoin(tasks, eq(tasks.id, scheduleRuns.taskId))
    .where(eq(scheduleRuns.taskId, taskId));
}

/**
 * Returns the id of the owner's session on a messaging platform in which a run asks for approvals. The chat in which the
 * schedule was made comes first, then the owner's home.
 */
export async function sessionToAsk(
  db: Db,
  {
    userId,
    projectId,
    originConfigId,
    originChatId,
  }: Pick<Schedule, "userId" | "projectId" | "originConfigId" | "originChatId">,
): Promise<string | undefined> {
  const identityId = linkOfSession(sql`channel_sessions`, sql`channel_configs`);
  const isOrigin = sql`coalesce(${channelSessions.channelConfigId} = ${originConfigId}::uuid
    AND ${channelSessions.platformChatId} = ${originChatId}::text, false)`;
  const isHome = sql`EXISTS (SELECT 1 FROM platform_identities i
    WHERE i.user_id = ${userId}::uuid AND i.is_verified AND i.home_channel_config_id = ${channelSessions.channelConfigId}
      AND i.home_chat_id = ${channelSessions.platformChatId})`;
  const [found] = await db
    .select({ id: channelSessions.id })
    .from(channelSessions)
    .innerJoin(channelConfigs, eq(channelConfigs.id, channelSessions.channelConfigId))
    .where(
      and(
        eq(channelSessions.userId, userId),
        isLive,
        sql`${mayWrite({ userId, projectId: sql`${projectId}`, identityId })}`,
        or(isOrigin, isHome),
      ),
    )
    .orderBy(desc(isOrigin), desc(channelSessions.lastActiveAt))
    .limit(1);
  return found?.id;
}
