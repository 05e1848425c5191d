import { and, asc, desc, eq, inArray, or, sql } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import {
  channelConfigs,
  channelMessages,
  channelSessions,
  chats,
  scheduleRuns,
  schedules,
  tasks,
  users,
  type RunDelivery,
} from "#src/db/schema/index.ts";
import { isLive } from "#src/domain/messaging/channels/index.ts";
import { mayWrite } from "#src/domain/messaging/identities/index.ts";
import { linkOfSession } from "#src/domain/messaging/inbox/index.ts";
import type { Schedule } from "#src/domain/schedules/definitions/index.ts";
import { OVERLAPPED } from "./due.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Run = typeof scheduleRuns.$inferSelect;

/** A run, its schedule, and its task if it exists. */
export interface OpenRun {
  run: Run;
  schedule: Schedule;
  /** Whether the owner's account is active. */
  isOwnerActive: boolean;
  task: {
    status: (typeof tasks.$inferSelect)["status"];
    chatId: string;
    response: string | null;
    error: string | null;
  } | null;
}

function openRuns(db: Db) {
  return db
    .select({
      run: scheduleRuns,
      schedule: schedules,
      isOwnerActive: users.isActive,
      task: { status: tasks.status, chatId: tasks.chatId, response: tasks.response, error: tasks.error },
    })
    .from(scheduleRuns)
    .innerJoin(schedules, eq(schedules.id, scheduleRuns.scheduleId))
    .innerJoin(users, eq(users.id, schedules.userId))
    .leftJoin(tasks, eq(tasks.id, scheduleRuns.taskId));
}

export async function runOf(db: Db, id: string): Promise<OpenRun | undefined> {
  const [row] = await openRuns(db).where(eq(scheduleRuns.id, id));
  return row;
}

export async function runOfTask(db: Db, taskId: string): Promise<OpenRun | undefined> {
  const [row] = await openRuns(db).where(eq(scheduleRuns.taskId, taskId));
  return row;
}

/** Stores a run that was asked for outside the schedule's clock. */
export async function insertManualRun(db: Db, run: Pick<Run, "id" | "scheduleId" | "taskId">): Promise<void> {
  await db.insert(scheduleRuns).values({ ...run, status: "enqueued" });
}

/** Most runs of one schedule that wait at once. */
const MAX_WAITING = 10;

const isOpen = (id: string) =>
  and(eq(scheduleRuns.id, id), inArray(scheduleRuns.status, ["enqueued", "waiting", "running"]));

/**
 * Decides whether a run begins now. A lock makes the runs of a schedule decide one after another. The run becomes `running`,
 * `waiting` behind an earlier run, or `skipped`. A manual run and a run that has begun before are always `running`. Returns
 * the new status; undefined for a run that has ended.
 */
export async function beginRun(
  db: Db,
  run: Pick<Run, "id" | "scheduleId" | "taskId">,
): Promise<Run["status"] | undefined> {
  const busy = sql`EXISTS (SELECT 1 FROM schedule_runs o LEFT JOIN tasks t ON t.id = o.task_id
    WHERE o.schedule_id = ${run.scheduleId}::uuid AND o.id <> ${run.id}::uuid AND o.scheduled_for IS NOT NULL
      AND (o.status = 'running' AND coalesce(t.status IN ('queued', 'running'), o.started_at IS NULL)
        OR o.status = 'waiting' AND o.id < ${run.id}::uuid))`;
  const waiting = sql`(SELECT count(*) FROM schedule_runs o
    WHERE o.schedule_id = ${run.scheduleId}::uuid AND o.id < ${run.id}::uuid AND o.status = 'waiting')`;
  const overlap = sql`(SELECT overlap FROM schedules WHERE id = ${run.scheduleId}::uuid)`;
  const next = sql<Run["status"]>`CASE
    WHEN ${scheduleRuns.status} = 'running' OR ${scheduleRuns.scheduledFor} IS NULL OR ${overlap} = 'allow' OR NOT ${busy}
      THEN 'running'
    WHEN ${overlap} = 'queue' AND ${waiting} < ${MAX_WAITING} THEN 'waiting'
    ELSE 'skipped' END`;
  const [, rows] = await db.batch([
    lockNames(db, [`schedule:${run.scheduleId}`]),
    db
      .update(scheduleRuns)
      .set({
        status: next,
        error: sql`CASE WHEN ${next} = 'skipped' THEN ${OVERLAPPED}::text END`,
        finishedAt: sql`CASE WHEN ${next} = 'skipped' THEN now() END`,
        publishedAt: sql`now()`,
      })
      .where(isOpen(run.id))
      .returning({ status: scheduleRuns.status }),
    db
      .update(schedules)
      .set({ lastStatus: "skipped", lastError: OVERLAPPED })
      .where(
        and(
          eq(schedules.id, run.scheduleId),
          eq(schedules.lastTaskId, run.taskId),
          sql`EXISTS (SELECT 1 FROM schedule_runs WHERE id = ${run.id}::uuid AND status = 'skipped')`,
        ),
      ),
  ]);
  return rows[0]?.status;
}

/** Records that the task of a run is stored. */
export async function noteStarted(
  db: Db,
  { run, schedule }: Pick<OpenRun, "run" | "schedule">,
): Promise<void> {
  await db.batch([
    db
      .update(scheduleRuns)
      .set({ startedAt: sql`coalesce(${scheduleRuns.startedAt}, now())` })
      .where(eq(scheduleRuns.id, run.id)),
    db
      .update(schedules)
      .set({
        lastStatus: "running",
        lastTaskId: run.taskId,
        ...(run.scheduledFor === null && { lastRunAt: sql`now()` }),
      })
      .where(and(eq(schedules.id, schedule.id), isNewest(schedule.id, run.id))),
  ]);
}

/** SQL condition: no later run of the schedule has started. A schedule shows the status of its newest run. */
const isNewest = (scheduleId: string, runId: string) => sql`NOT EXISTS (SELECT 1 FROM schedule_runs l
  WHERE l.schedule_id = ${scheduleId}::uuid AND l.id > ${runId}::uuid AND l.started_at IS NOT NULL)`;

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

/** How a run ended. */
export interface RunEnd {
  status: "success" | "failed" | "skipped";
  error: string | null;
  isSilent: boolean;
  deliveries: readonly RunDelivery[];
}

/** What follows from a run's end. */
export interface Settled {
  /** Id of the schedule's oldest run with the status `waiting`. */
  waiting: string | undefined;
  /** The schedule's failures in a row. Undefined if this call counted no failure. */
  failuresInRow: number | undefined;
}

/**
 * Ends a run, and shows the end in the schedule's last status and last error. If the run itself has no error, the last error
 * is that of the first target to which nothing could be delivered. Idempotent: a run that has ended stays as it is.
 */
export async function settleRun(
  db: Db,
  { run, schedule }: Pick<OpenRun, "run" | "schedule">,
  end: RunEnd,
): Promise<Settled> {
  const undelivered = end.deliveries.find(({ status }) => status === "failed");
  const isDelivered = end.status !== "success" || undelivered === undefined;
  const counts = run.scheduledFor !== null && end.status !== "skipped";
  const isOpenStill = sql`EXISTS (SELECT 1 FROM ${scheduleRuns} WHERE ${isOpen(run.id)})`;
  const [, counted, , waiting] = await db.batch([
    db
      .update(schedules)
      .set({
        lastStatus: isDelivered ? end.status : "delivery_failed",
        lastError: end.error ?? undelivered?.error ?? null,
      })
      .where(and(eq(schedules.id, schedule.id), isNewest(schedule.id, run.id), isOpenStill)),
    db
      .update(schedules)
      .set({ failuresInRow: end.status === "failed" ? sql`${schedules.failuresInRow} + 1` : 0 })
      .where(and(eq(schedules.id, schedule.id), sql`${counts}::boolean`, isOpenStill))
      .returning({ failuresInRow: schedules.failuresInRow }),
    db
      .update(scheduleRuns)
      .set({ ...end, finishedAt: sql`now()` })
      .where(isOpen(run.id)),
    db
      .select({ id: scheduleRuns.id })
      .from(scheduleRuns)
      .where(and(eq(scheduleRuns.scheduleId, schedule.id), eq(scheduleRuns.status, "waiting")))
      .orderBy(asc(scheduleRuns.id))
      .limit(1),
  ]);
  return {
    waiting: waiting[0]?.id,
    failuresInRow: end.status === "failed" ? counted[0]?.failuresInRow : undefined,
  };
}

/** A target of a run, and the state of the message to it. */
export interface ShownDelivery {
  target: string;
  status: "delivered" | "pending" | "failed" | "in_app";
  error: string | null;
  channelId: string | null;
  /** `<platform>:<chat id>`. */
  jid: string | null;
}

export interface ShownRun {
  run: Run;
  /** Null without a task, or once its chat was deleted. */
  chatId: string | null;
  deliveries: ShownDelivery[];
}

/** Returns the occasion of the outbox message that brings a run's result to a target. */
export const occasionOf = (runId: string, target: string) => `run:${runId}:${target}`;

/** Returns a page of a schedule's runs, newest first. */
export async function runsOf(
  db: Db,
  scheduleId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ShownRun[]> {
  const rows = await db
    .select({ run: scheduleRuns, chatId: chats.id })
    .from(scheduleRuns)
    .leftJoin(tasks, eq(tasks.id, scheduleRuns.taskId))
    .leftJoin(chats, eq(chats.id, tasks.chatId))
    .where(eq(scheduleRuns.scheduleId, scheduleId))
    .orderBy(desc(scheduleRuns.id))
    .limit(limit)
    .offset(offset);
  const occasions = rows.flatMap(({ run }) =>
    (run.deliveries ?? []).map(({ target }) => occasionOf(run.id, target)),
  );
  const sent =
    occasions.length === 0
      ? []
      : await db.select().from(channelMessages).where(inArray(channelMessages.occasion, occasions));
  const messages = new Map(sent.map((message) => [message.occasion, message]));
  return rows.map(({ run, chatId }) => ({
    run,
    chatId,
    deliveries: (run.deliveries ?? []).map(({ target, status, error }) => {
      const message = messages.get(occasionOf(run.id, target));
      return {
        target,
        status: status === "stored" ? (message?.status ?? "failed") : status,
        error: error ?? message?.error ?? null,
        channelId: message?.channelConfigId ?? null,
        jid: message?.jid ?? null,
      };
    }),
  }));
}
