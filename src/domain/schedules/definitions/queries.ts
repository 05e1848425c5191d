import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { schedules } from "#src/db/schema/index.ts";
import { originOfTask } from "#src/domain/messaging/inbox/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
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

/** A person's active schedules, the next one first: all, those made in a channel, or those of some projects. */
export function activeSchedules(
  db: Db,
  userId: string,
  {
    limit,
    channelId,
    projectIds,
  }: { limit: number; channelId: string | undefined; projectIds: readonly string[] | null },
): Promise<Schedule[]> {
  return db
    .select()
    .from(schedules)
    .where(
      and(
        eq(schedules.userId, userId),
        schedules.isActive,
        channelId === undefined ? undefined : eq(schedules.originConfigId, channelId),
        projectIds === null ? undefined : inArray(schedules.projectId, [...projectIds]),
      ),
    )
    .orderBy(asc(schedules.nextRunAt), asc(schedules.id))
    .limit(limit);
}

interface LimitedDb {
  db: Db;
  config: CeilingConfig<"schedules" | "active_schedules">;
}

/** Stores an active schedule. Throws the refusal of the ceilings on schedules and on active ones. */
export async function insertSchedule({ db, config }: LimitedDb, schedule: NewSchedule): Promise<Schedule> {
  const { userId: owner } = schedule;
  const [, , [stored]] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [
        { ceiling: "active_schedules", owner },
        { ceiling: "schedules", owner },
      ]),
      db.insert(schedules).values(schedule).returning(),
    ]),
  );
  if (!stored) throw new Error("The schedule was not stored");
  return stored;
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

/** Makes a paused schedule active; undefined for a deleted one. Throws the refusal of the ceiling on active schedules. */
export async function activateSchedule(
  { db, config }: LimitedDb,
  { userId, id }: Pick<Schedule, "userId" | "id">,
  change: ScheduleChange,
): Promise<Schedule | undefined> {
  const [, , [resumed]] = await whileThereIsRoom(
    db.batch([
      ...roomFor(db, config, [{ ceiling: "active_schedules", owner: userId, except: sql`id = ${id}::uuid` }]),
      db
        .update(schedules)
        .set({ ...change, isActive: true, pausedReason: null, updatedAt: sql`now()` })
        .where(own(userId, id))
        .returning(),
    ]),
  );
  return resumed;
}

/** Returns whether there was such a schedule. */
export async function removeSchedule(db: Db, userId: string, id: string): Promise<boolean> {
  const rows = await db.delete(schedules).where(own(userId, id)).returning({ id: schedules.id });
  return rows.length > 0;
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
