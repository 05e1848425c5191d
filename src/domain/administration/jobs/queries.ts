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
