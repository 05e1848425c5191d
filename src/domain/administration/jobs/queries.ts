import { and, count, desc, eq, isNotNull, sql, type SQL } from "drizzle-orm";
import { jobs } from "#src/db/schema/index.ts";
import { insertAdminAction, type AdministratorsDeed } from "#src/domain/access/administrators/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A job that was given up. */
export type JobName = { kind: string; key: string };

/** A job that is to be done anew. */
export type Reopened = { key: string; share: string | null; generation: string };

/** One job of a kind, or all of them. */
export type JobsOfKind = { kind: string; key?: string | undefined };

const isGivenUp = ({ kind, key }: JobsOfKind) =>
  and(eq(jobs.kind, kind), key === undefined ? undefined : eq(jobs.key, key), isNotNull(jobs.failedAt));

/** A page of the jobs that were given up, the last one first, and the number of all. */
export async function pageOfGivenUp(
  db: Db,
  kind: string | undefined,
  { limit, offset }: { limit: number; offset: number },
) {
  const where = kind === undefined ? isNotNull(jobs.failedAt) : isGivenUp({ kind });
  const [found, [total]] = await db.batch([
    db
      .select()
      .from(jobs)
      .where(where)
      .orderBy(desc(jobs.failedAt), desc(jobs.kind), desc(jobs.key))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(jobs).where(where),
  ]);
  return { jobs: found, total: total?.total ?? 0 };
}

/**
 * Makes jobs of a kind due that were given up, those that have waited longest first: one of them, or as many as `limit` says.
 * Their attempts are counted anew. Noted in the trail of administrators.
 */
export async function reopenJobs(
  db: Db,
  by: AdministratorsDeed,
  { kind, key, limit }: JobsOfKind & { limit: number },
): Promise<Reopened[]> {
  const [, { rows }] = await db.batch([
    noted(db, by, "job.retried", { kind, key }),
    db.execute<Reopened>(sql`
      UPDATE jobs SET failed_at = NULL, attempts = 0, due_at = now(), lease_until = NULL,
        generation = nextval('job_generations')
      WHERE (kind, key) IN (
        SELECT kind, key FROM jobs WHERE ${isGivenUp({ kind, key })} ORDER BY failed_at LIMIT ${limit}::int FOR UPDATE
      ) RETURNING key, share, generation::text
    `),
  ]);
  return rows;
}

/**
 * Stores the jobs of what the version before 0044 left to be done, or did while this one was being deployed: it had none.
 * What has a job keeps it.
 */
export async function storeMissingJobs({ db }: { db: Db }): Promise<void> {
  await db.execute(sql`
    WITH doubtful AS (
      -- Its executor has died: the platform may have the message.
      UPDATE channel_messages SET may_be_sent = true, sending_since = NULL
      WHERE status = 'pending' AND sending_since IS NOT NULL AND next_attempt_at < now()
    )
    INSERT INTO jobs (kind, key, payload, share)
    SELECT 'deliver-callback', id::text, jsonb_build_object('taskId', id), user_id::text FROM tasks
    WHERE callback_status = 'pending' AND completed_at < now() - interval '1 minute' AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'deliver-callback' AND key = tasks.id::text
    ) UNION ALL
    SELECT 'clone-repository', project_id::text, jsonb_build_object('projectId', project_id), NULL FROM repositories
    WHERE sync_status = 'cloning' AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'clone-repository' AND key = repositories.project_id::text
    ) UNION ALL
    SELECT 'handle-stripe-event', id, jsonb_build_object('eventId', id), NULL FROM stripe_events
    WHERE status = 'received' AND created_at < now() - interval '1 minute' AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'handle-stripe-event' AND key = stripe_events.id
    ) UNION ALL
    SELECT 'destroy-workspace', project_id::text, jsonb_build_object('projectId', project_id, 'slug', NULL), NULL
    FROM background_tasks
    -- What runs is not complete: by that it is found in the index.
    WHERE completed_at IS NULL AND type = 'project_deletion' AND status = 'running'
      AND created_at < now() - interval '1 minute' AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'destroy-workspace' AND key = background_tasks.project_id::text
    ) UNION ALL
    SELECT 'deliver-outbox-message', m.id::text, jsonb_build_object('messageId', m.id), c.user_id::text
    FROM channel_messages m JOIN channel_configs c ON c.id = m.channel_config_id
    WHERE m.status = 'pending' AND coalesce(m.next_attempt_at, m.created_at + interval '1 minute') < now() AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'deliver-outbox-message' AND key = m.id::text
    ) UNION ALL
    SELECT 'advance-run', task_id::text, jsonb_build_object('taskId', task_id), NULL FROM schedule_runs
    WHERE status IN ('enqueued', 'waiting', 'running') AND created_at < now() - interval '1 minute' AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'advance-run' AND key = schedule_runs.task_id::text
    ) UNION ALL
    SELECT 'settle-project', id::text, jsonb_build_object('projectId', id), NULL FROM projects
    WHERE wanted IS NOT NULL AND coalesce(lease_until < now(), true) AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'settle-project' AND key = projects.id::text
    ) UNION ALL
    SELECT 'run-deployment', id::text, jsonb_build_object('deploymentId', id), NULL FROM deployments
    WHERE status NOT IN ('success', 'failed', 'cancelled') AND created_at < now() - interval '1 minute'
      -- Executors of the version before keep their leases here.
      AND coalesce(greatest(lease_until, due_at) < now(), true) AND NOT EXISTS (
      SELECT 1 FROM jobs WHERE kind = 'run-deployment' AND key = deployments.id::text
    )
    ON CONFLICT DO NOTHING
  `);
}

/** Deletes a job that was given up. Noted in the trail of administrators. */
export async function deleteGivenUp(db: Db, by: AdministratorsDeed, job: JobName): Promise<boolean> {
  const [, deleted] = await db.batch([
    noted(db, by, "job.dropped", job),
    db.delete(jobs).where(isGivenUp(job)).returning({ key: jobs.key }),
  ]);
  return deleted.length > 0;
}

function noted(db: Db, by: AdministratorsDeed, action: string, { kind, key }: JobsOfKind) {
  const targetId = key === undefined ? kind : `${kind}/${key}`;
  const isThere: SQL = sql`EXISTS (SELECT 1 FROM jobs WHERE ${isGivenUp({ kind, key })})`;
  return insertAdminAction(db, by, { action, targetType: "job", targetId }, isThere);
}
