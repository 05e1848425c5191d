import { and, eq, sql } from "drizzle-orm";
import { schedules } from "#src/db/schema/index.ts";
import { runDue } from "../run-due.ts";
import type { Schedule } from "#src/domain/schedules/definitions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { StoredJob } from "#src/work/job.ts";
import { storeJobs } from "#src/work/queries.ts";
import { isAtWork, jobOfRun } from "./progress.ts";

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
 * Moves schedules on and stores the runs of their moments with their jobs, in one statement: a moment that another tick has
 * taken, or whose schedule was changed in the meantime, is left out. Returns the jobs of the runs that are to be started.
 */
export async function storeRuns(db: Db, decisions: readonly Decision[]): Promise<StoredJob[]> {
  const { rows } = await db.execute<StoredJob>(sql`
    WITH decided AS (
      SELECT d.*, s.repeat, s.runs_completed,
        coalesce(d.skipped, CASE WHEN s.overlap = 'skip' AND EXISTS (
          SELECT 1 FROM schedule_runs r LEFT JOIN tasks t ON t.id = r.task_id
          WHERE r.schedule_id = s.id AND r.status = 'running' AND r.scheduled_for IS NOT NULL
            AND ${isAtWork(sql`r`, sql`t`)}) THEN ${OVERLAPPED}::text END) AS reason
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
      RETURNING task_id, status
    ) ${storeJobs(runDue, sql`FROM stored WHERE status = 'enqueued'`, jobOfRun)}`);
  return rows;
}

/** Pauses an active schedule with a reason. */
export async function pauseFor(db: Db, scheduleId: string, reason: string): Promise<void> {
  await db
    .update(schedules)
    .set({ isActive: false, pausedReason: reason, claimedUntil: null })
    .where(and(eq(schedules.id, scheduleId), schedules.isActive));
}
