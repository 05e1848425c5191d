import { and, asc, desc, eq, isNotNull, ne, or, sql } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { channelConfigs, channelSessions, schedules } from "#src/db/schema/index.ts";
import { isLive } from "#src/domain/messaging/channels/index.ts";
import { originOfTask } from "#src/domain/messaging/inbox/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Schedule = typeof schedules.$inferSelect;
type NewSchedule = typeof schedules.$inferInsert;

const own = (userId: string, id: string) => and(eq(schedules.id, id), eq(schedules.userId, userId));

/**
 * `success` of a run whose result a platform did not take is shown as `delivery_failed`, with what the platform said.
 */
const lastDelivery = sql<string | null>`(
  SELECT m.error FROM channel_messages m
  WHERE m.task_id = ${schedules.lastTaskId} AND m.status = 'failed' AND m.occasion LIKE 'run:%'
  ORDER BY m.id LIMIT 1)`;

/** A schedule, and why the result of its last run was not delivered by a platform. */
export interface FoundSchedule {
  schedule: Schedule;
  undelivered: string | null;
}

/** A person's schedule. */
export async function scheduleOf(db: Db, userId: string, id: string): Promise<FoundSchedule | undefined> {
  const [row] = await db
    .select({ schedule: schedules, undelivered: lastDelivery })
    .from(schedules)
    .where(own(userId, id));
  return row;
}

/** A page of a person's schedules, newest first. */
export function schedulesOf(
  db: Db,
  userId: string,
  filter: { projectId?: string | undefined; isActive?: boolean | undefined; limit: number; offset: number },
): Promise<FoundSchedule[]> {
  const { projectId, isActive } = filter;
  return db
    .select({ schedule: schedules, undelivered: lastDelivery })
    .from(schedules)
    .where(
      and(
        eq(schedules.userId, userId),
        projectId === undefined ? undefined : eq(schedules.projectId, projectId),
        isActive === undefined ? undefined : eq(schedules.isActive, isActive),
      ),
    )
    .orderBy(desc(schedules.createdAt), desc(schedules.id))
    .limit(filter.limit)
    .offset(filter.offset);
}

/** A person's active schedules, the next one first. */
export function activeSchedules(db: Db, userId: string, limit: number): Promise<Schedule[]> {
  return db
    .select()
    .from(schedules)
    .where(and(eq(schedules.userId, userId), schedules.isActive))
    .orderBy(asc(schedules.nextRunAt), asc(schedules.id))
    .limit(limit);
}

const activeOf = (userId: string) =>
  sql`(SELECT count(*) FROM schedules WHERE user_id = ${userId}::uuid AND is_active)`;

/** The active schedules of a person are counted one change after the other. */
const countLock = (db: Db, userId: string) => lockNames(db, [`schedules:${userId}`]);

/** Stores an active schedule. Undefined when the person has `limit` active ones. */
export async function insertSchedule(
  db: Db,
  schedule: NewSchedule,
  limit: number,
): Promise<Schedule | undefined> {
  const [, , rows] = await db.batch([
    countLock(db, schedule.userId),
    db.insert(schedules).values({ ...schedule, isActive: false }),
    db
      .update(schedules)
      .set({ isActive: true })
      .where(and(eq(schedules.id, schedule.id), sql`${activeOf(schedule.userId)} < ${limit}`))
      .returning(),
    // A schedule above the limit leaves nothing behind.
    db.delete(schedules).where(and(eq(schedules.id, schedule.id), sql`NOT ${schedules.isActive}`)),
  ]);
  return rows[0];
}

/** Fields that are undefined stay as they are. */
export type ScheduleChange = { [Field in keyof Schedule]?: Schedule[Field] | undefined };

/**
 * Changes a person's schedule. A tick that has read the earlier row stores nothing of it, because the change gives up its
 * claim.
 */
export async function changeSchedule(
  db: Db,
  userId: string,
  id: string,
  change: ScheduleChange,
): Promise<Schedule | undefined> {
  const [row] = await db
    .update(schedules)
    .set({ ...change, claimedUntil: null, updatedAt: sql`now()` })
    .where(own(userId, id))
    .returning();
  return row;
}

/** Makes a paused schedule active. Undefined when the person has `limit` active ones besides. */
export async function activateSchedule(
  db: Db,
  { userId, id }: Pick<Schedule, "userId" | "id">,
  change: ScheduleChange,
  limit: number,
): Promise<Schedule | undefined> {
  const [, rows] = await db.batch([
    countLock(db, userId),
    db
      .update(schedules)
      .set({ ...change, isActive: true, pausedReason: null, updatedAt: sql`now()` })
      .where(and(own(userId, id), sql`(${schedules.isActive} OR ${activeOf(userId)} < ${limit})`))
      .returning(),
  ]);
  return rows[0];
}

/** Returns whether there was such a schedule. */
export async function removeSchedule(db: Db, userId: string, id: string): Promise<boolean> {
  const rows = await db.delete(schedules).where(own(userId, id)).returning({ id: schedules.id });
  return rows.length > 0;
}

/**
 * A chat that a person may name as the origin: every chat of an own channel, and of another person's channel a chat that the
 * person writes in.
 */
export async function originChat(
  db: Db,
  userId: string,
  { channelId, chatId }: { channelId: string; chatId: string },
) {
  const [row] = await db
    .select({ channelId: channelConfigs.id, platform: channelConfigs.channelType, session: channelSessions })
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
        // A terminal is reached by its own person alone, who has a session there.
        or(
          and(eq(channelConfigs.userId, userId), ne(channelConfigs.channelType, "cli")),
          isNotNull(channelSessions.id),
        ),
      ),
    )
    .orderBy(desc(channelSessions.lastActiveAt))
    .limit(1);
  return row;
}

/** The chat of a platform that a person's task came from, as the origin of a schedule. */
export async function chatOfTask(db: Db, task: { id: string; userId: string }) {
  const origin = await originOfTask(db, task);
  if (!origin) return undefined;
  const { channel, session } = origin;
  return {
    originPlatform: channel.channelType,
    originConfigId: channel.id,
    originChatId: session.platformChatId,
    originChatType: session.platformChatType,
    originThreadId: session.platformThreadId,
  };
}
