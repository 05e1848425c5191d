import { and, eq, sql } from "drizzle-orm";
import { scheduleRuns, schedules } from "#src/db/schema/index.ts";
import type { Schedule } from "#src/domain/schedules/definitions/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Seconds that one tick may work on the schedules that it has read; another tick leaves them alone for so long. */
const CLAIM_SECONDS = 60;

/**
 * Claims a page of due schedules, the longest overdue first. Ticks at the same time get different ones. `overdueSeconds` of
 * the backstop leaves those alone that the next regular tick takes.
 */
export async function claimDue(
  db: Db,
  { limit, overdueSeconds }: { limit: number; overdueSeconds: number },
): Promise<Schedule[]> {
  return db
    .update(schedules)
    .set({ claimedUntil: sql`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where(
      sql`${schedules.id} IN (
        SELECT id FROM schedules
        WHERE is_active AND next_run_at <= now() - make_interval(secs => ${overdueSeconds})
          AND coalesce(claimed_until < now(), true)
        ORDER BY next_run_at
        LIMIT ${limit}
        FOR UPDATE SKIP LOCKED)`,
    )
    .returning();
}

/** What a tick decided about a due schedule. */
export interface Decision {
  scheduleId: string;
  runId: string;
  taskId: string;
  /** The moment that is due, in ISO 8601: what `next_run_at` was when the tick read it. */
  slot: string;
  /** The next moment, in ISO 8601; null for none. */
  next: string | null;
  isLate: boolean;
  missed: number;
  /** Why the moment is not run; null when it is. */
  skipped: string | null;
}

/** Error of a moment that came while an earlier run was at work. */
export const OVERLAPPED = "The previous run was still at work";

/**
 * Moves schedules on and stores the runs of their moments, in one statement: a moment that another tick has taken, or whose
 * schedule was changed in the meantime, is left out. Returns the runs that are to be started.
 */
export async function storeRuns(db: Db, decisions: readonly Decision[]): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    WITH decided AS (
      SELECT d.*, s.repeat, s.runs_completed,
        coalesce(d.skipped, CASE WHEN s.overlap = 'skip' AND EXISTS (
          SELECT 1 FROM schedule_runs r LEFT JOIN tasks t ON t.id = r.task_id
          WHERE r.schedule_id = s.id AND r.status = 'running' AND r.scheduled_for IS NOT NULL
            AND (t.id IS NULL OR t.status IN ('queued', 'running'))) THEN ${OVERLAPPED}::text END) AS reason
      FROM jsonb_to_recordset(${JSON.stringify(decisions)}::jsonb) AS d ("scheduleId" uuid, "runId" uuid, "taskId" uuid,
        slot timestamptz, next timestamptz, "isLate" boolean, missed int, skipped text)
      JOIN schedules s ON s.id = d."scheduleId"
    ), moved AS (
      UPDATE schedules s SET claimed_until = NULL,
        runs_completed = s.runs_completed + (d.reason IS NULL)::int,
        is_active = d.next IS NOT NULL AND NOT coalesce(s.runs_completed + (d.reason IS NULL)::int >= s.repeat, false),
        next_run_at = CASE WHEN coalesce(s.runs_completed + (d.reason IS NULL)::int >= s.repeat, false) THEN NULL
          ELSE d.next END,
        last_run_at = CASE WHEN d.reason IS NULL THEN now() ELSE s.last_run_at END,
        last_task_id = CASE WHEN d.reason IS NULL THEN d."taskId" ELSE s.last_task_id END,
        last_status = CASE WHEN d.reason IS NULL THEN 'enqueued' ELSE 'skipped' END,
        last_error = d.reason
      FROM decided d
      WHERE s.id = d."scheduleId" AND s.is_active AND s.next_run_at = d.slot
      RETURNING d.*
    ), stored AS (
      INSERT INTO schedule_runs (id, schedule_id, scheduled_for, is_late, missed, status, task_id, error, finished_at)
      SELECT "runId", "scheduleId", slot, "isLate", missed, CASE WHEN reason IS NULL THEN 'enqueued' ELSE 'skipped' END,
        "taskId", reason, CASE WHEN reason IS NOT NULL THEN now() END
      FROM moved
      ON CONFLICT (schedule_id, scheduled_for) DO NOTHING
      RETURNING id, status
    )
    SELECT id FROM stored WHERE status = 'enqueued'`);
  return rows.map(({ id }) => id);
}

/** Pauses an active schedule with a reason. */
export async function pauseFor(db: Db, scheduleId: string, reason: string): Promise<void> {
  await db
    .update(schedules)
    .set({ isActive: false, pausedReason: reason, claimedUntil: null })
    .where(and(eq(schedules.id, scheduleId), schedules.isActive));
}

/** A run that was stored and is to be given to the queue, or to be followed up. */
export interface StrandedRun {
  id: string;
  taskId: string;
  /** Whether its task has ended, or is gone. */
  isOver: boolean;
}

/** Claims runs that nothing works on: what was to start them, or to follow their task's end, was lost. */
export async function claimStranded(
  db: Db,
  { quietSeconds, limit }: { quietSeconds: number; limit: number },
): Promise<StrandedRun[]> {
  const { rows } = await db.execute<StrandedRun & Record<string, unknown>>(sql`
    UPDATE schedule_runs SET published_at = now()
    FROM (
      SELECT r.id, r.task_id,
        coalesce(t.status NOT IN ('queued', 'running'), r.started_at IS NOT NULL) AS is_over
      FROM schedule_runs r LEFT JOIN tasks t ON t.id = r.task_id
      WHERE r.status IN ('enqueued', 'waiting', 'running')
        AND r.published_at < now() - make_interval(secs => ${quietSeconds})
        AND coalesce(t.status NOT IN ('queued', 'running'), true)
      ORDER BY r.published_at
      LIMIT ${limit}
      FOR UPDATE OF r SKIP LOCKED
    ) AS found
    WHERE schedule_runs.id = found.id
    RETURNING schedule_runs.id, found.task_id AS "taskId", found.is_over AS "isOver"`);
  return rows;
}

/** Deletes the history of runs that ended more than so many days ago. */
export async function deleteOldRuns(db: Db, days: number): Promise<void> {
  await db
    .delete(scheduleRuns)
    .where(sql`${scheduleRuns.finishedAt} < now() - make_interval(days => ${days})`);
}
