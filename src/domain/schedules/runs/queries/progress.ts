import { sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import type { RunDelivery } from "#src/db/schema/index.ts";
import { ALLOWANCES } from "#src/domain/operations/limits/index.ts";
import { runDue } from "../run-due.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Writes } from "#src/work/job.ts";
import { storeJobs } from "#src/work/queries.ts";
import { noticeDue } from "../notice-due.ts";
import type { OpenRun } from "./open-run.ts";

/** After so many failed runs in a row the owner is told, once. */
export const FAILURES_TOLD = 3;

/** Job of a run, for `storeJobs`: the columns of its row. */
export const jobOfRun = { key: sql`task_id`, payload: { taskId: sql`task_id` } };

/**
 * Stores a run that was asked for outside the schedule's clock, and its job. It waits for no other run. False if the schedule
 * is gone.
 */
export async function insertManualRun(db: Db, scheduleId: string, taskId: string): Promise<boolean> {
  const { rows } = await db.execute(sql`
    WITH stored AS (
      INSERT INTO schedule_runs (id, schedule_id, task_id, status)
      SELECT ${newId()}::uuid, id, ${taskId}::uuid, 'running' FROM schedules WHERE id = ${scheduleId}::uuid
      RETURNING task_id
    ) ${storeJobs(runDue, sql`FROM stored`, jobOfRun)}`);
  return rows.length > 0;
}

/**
 * Decides whether a run begins now, as a stage of its job. A lock makes the runs of a schedule decide one after another. The
 * run becomes `running`, or `waiting` behind an earlier one; no row is returned for one that may do neither. A run that has
 * begun before is always `running`.
 */
export function beginRun(db: Db, { run, schedule }: Pick<OpenRun, "run" | "schedule">, isHeld: SQL<boolean>) {
  const isBusy = sql`EXISTS (SELECT 1 FROM schedule_runs o LEFT JOIN tasks t ON t.id = o.task_id
    WHERE o.schedule_id = run.schedule_id AND o.id <> run.id AND o.scheduled_for IS NOT NULL
      AND (o.status = 'running' AND ${isAtWork(sql`o`, sql`t`)} OR o.status = 'waiting' AND o.id < run.id))`;
  const waiting = sql`(SELECT count(*) FROM schedule_runs o
    WHERE o.schedule_id = run.schedule_id AND o.id < run.id AND o.status = 'waiting')`;
  return [
    lockNames(db, [`schedule:${schedule.id}`]),
    db.execute<{ status: "running" | "waiting" }>(sql`
      UPDATE schedule_runs SET status = decided.status FROM (
        SELECT run.id, CASE
          WHEN run.status = 'running' OR schedules.overlap = 'allow' OR NOT ${isBusy} THEN 'running'
          WHEN schedules.overlap = 'queue' AND ${waiting} < ${ALLOWANCES.waitingRuns.most}::int THEN 'waiting' END AS status
        FROM schedule_runs run JOIN schedules ON schedules.id = run.schedule_id WHERE run.id = ${run.id}::uuid
      ) AS decided
      WHERE schedule_runs.id = decided.id AND decided.status IS NOT NULL AND ${isHeld}
      RETURNING schedule_runs.status`),
  ] as const;
}

/** SQL condition of a run that has begun, and its task: the task is unfinished, or not stored yet. */
export const isAtWork = (run: SQL, task: SQL) =>
  sql`coalesce(${task}.status IN ('queued', 'running'), ${run}.started_at IS NULL)`;

/** SQL condition: no later run of the schedule has started. A schedule shows the status of its newest run. */
const isNewest = (run: SQL) => sql`NOT EXISTS (SELECT 1 FROM schedule_runs later
  WHERE later.schedule_id = ${run}.schedule_id AND later.id > ${run}.id AND later.started_at IS NOT NULL)`;

/*
 * Writes of outcomes. Their locks go from a job to other jobs, the schedule and the run: whoever deletes a schedule locks it
 * before its runs.
 */

/** The task of a run is stored. */
export function runStarted({ run, schedule }: Pick<OpenRun, "run" | "schedule">): Writes {
  return {
    shown: sql`UPDATE schedules SET last_status = 'running', last_task_id = ${run.taskId}::uuid,
        last_run_at = CASE WHEN run.scheduled_for IS NULL THEN now() ELSE last_run_at END
      FROM job, schedule_runs run
      WHERE schedules.id = ${schedule.id}::uuid AND run.id = ${run.id}::uuid AND ${isNewest(sql`run`)}
      RETURNING schedules.id`,
    started: sql`UPDATE schedule_runs SET started_at = coalesce(started_at, now())
      FROM job, (SELECT count(*) FROM write_shown) AS shown WHERE schedule_runs.id = ${run.id}::uuid`,
  };
}

/** How a run ended. */
export interface RunEnd {
  status: "success" | "failed" | "skipped";
  error: string | null;
  isSilent?: boolean;
  deliveries?: readonly RunDelivery[];
  /** Why the schedule is paused with it. */
  pause?: string | undefined;
}

/**
 * A run has ended, which shows in the schedule: if the run itself has no error, the last error is that of the first target
 * to which nothing could be delivered. The job of the run that waits longest is due. The owner is to be told of a pause, of
 * the third failure in a row, and of one after which nothing comes.
 */
export function runEnded(taskId: string, end: RunEnd, { isQueue = false } = {}): Writes {
  const { status, error, isSilent = false, deliveries = [], pause = null } = end;
  const undelivered = deliveries.find((each) => each.status === "failed");
  const shown = status === "success" && undelivered ? "delivery_failed" : status;
  const woken = storeJobs(
    runDue,
    sql`FROM (SELECT w.task_id FROM job, schedule_runs run JOIN schedule_runs w ON w.schedule_id = run.schedule_id
      WHERE run.task_id = ${taskId}::uuid AND w.status = 'waiting' AND w.id <> run.id ORDER BY w.id LIMIT 1) AS waiting`,
    jobOfRun,
  );
  return {
    ...(isQueue && { woken }),
    shown: sql`UPDATE schedules SET
        last_status = CASE WHEN ${isNewest(sql`run`)} THEN ${shown}::text ELSE last_status END,
        last_error = CASE WHEN ${isNewest(sql`run`)} THEN ${error ?? undelivered?.error ?? null}::text ELSE last_error END,
        failures_in_row = CASE WHEN run.scheduled_for IS NULL OR ${status}::text = 'skipped' THEN failures_in_row
          WHEN ${status}::text = 'failed' THEN failures_in_row + 1 ELSE 0 END,
        paused_reason = CASE WHEN is_active THEN ${pause}::text ELSE paused_reason END,
        is_active = is_active AND ${pause}::text IS NULL,
        claimed_until = CASE WHEN ${pause}::text IS NULL THEN claimed_until END
      FROM job, schedule_runs run ${isQueue ? sql`, (SELECT count(*) FROM write_woken) AS woken` : sql``}
      WHERE schedules.id = run.schedule_id AND run.task_id = ${taskId}::uuid
        AND run.status IN ('enqueued', 'waiting', 'running')
      RETURNING run.task_id, CASE
        WHEN paused_reason = ${pause}::text THEN 'paused'
        WHEN ${status}::text <> 'failed' OR run.scheduled_for IS NULL OR paused_reason IS NOT NULL THEN NULL
        WHEN next_run_at IS NULL THEN 'over'
        WHEN failures_in_row = ${FAILURES_TOLD}::int THEN 'failing' END AS about`,
    ended: sql`UPDATE schedule_runs SET status = ${status}::text, error = ${error}::text, is_silent = ${isSilent}::boolean,
        deliveries = ${JSON.stringify(deliveries)}::jsonb, finished_at = now(),
        -- Its start may not have been noted.
        started_at = coalesce(started_at, (SELECT created_at FROM tasks WHERE tasks.id = schedule_runs.task_id))
      FROM write_shown WHERE schedule_runs.task_id = write_shown.task_id`,
    notice: storeJobs(noticeDue, sql`FROM write_shown WHERE about IS NOT NULL`, {
      key: sql`task_id`,
      payload: { taskId: sql`task_id`, about: sql`about` },
    }),
  };
}
