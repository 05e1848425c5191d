import { and, eq, isNotNull, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { containers, projects, type ProjectSource } from "#src/db/schema/index.ts";
import { insertBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import { stateWanted, storeTransitions, type Project } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { StoredJob } from "#src/work/job.ts";
import { dropJobs, lockJob } from "#src/work/queries.ts";

/*
 * The wanted state of a project: written by requests, read by the executor. What requests a state stores its job in the same
 * statement, and returns the job's generation; undefined when the project stays as it is.
 */

export type Wanted = NonNullable<Project["wanted"]>;

/** A new wanted state replaces the previous one, with the full number of attempts. */
const wish = (wanted: Wanted | SQL) => ({
  wanted,
  error: null,
  failedAt: null,
  idleWarnedAt: null,
});

/**
 * Changes rows of projects, so that a state of them is wanted, and stores their jobs. Where a project may have a job already,
 * the transaction begins with `lockJob`.
 */
export const requestState = (
  db: Db,
  change: PgUpdateSetSource<typeof projects>,
  condition: SQL | undefined,
) =>
  db.execute<StoredJob>(
    sql`WITH wished AS ${db.update(projects).set(change).where(condition).returning({ id: projects.id })}
      ${storeTransitions(sql`FROM wished`)}`,
  );

/** Requests a state of one project, if it meets the condition. */
async function request(
  db: Db,
  projectId: string,
  change: PgUpdateSetSource<typeof projects>,
  condition: SQL | undefined,
): Promise<string | undefined> {
  const [, { rows }] = await db.batch([
    lockJob(stateWanted, db, projectId),
    requestState(db, change, and(eq(projects.id, projectId), condition)),
  ]);
  return rows[0]?.generation;
}

/** Has files, in its runtime or in a snapshot. */
const isSetUp = sql`(${projects.status} NOT IN ('initializing', 'failed') AND ${projects.lostAt} IS NULL)`;

/** Pause after a wake that was given up, in which its reason is answered instead of another attempt. */
const WAKE_PAUSE_SECONDS = 60;

/** How the sentence begins that says that a stop was given up. */
export const STOP_FAILURE = "The project could not be hibernated";

/** Marks every container as wanted. Part of the batch that stores the wanted state, after it. */
const wantAllContainers = (db: Db, projectId: string) =>
  db
    .update(containers)
    .set({ wanted: true })
    .where(
      and(
        eq(containers.projectId, projectId),
        sql`EXISTS (SELECT 1 FROM projects p WHERE p.id = ${projectId}::uuid AND p.wanted = 'running')`,
      ),
    );

/**
 * Requests that the project runs with all its containers. A failed setup is retried. Nothing for a project that is being set
 * up or is deleted, or that already runs, unless `evenIfRunning`.
 */
export async function wantRunning(
  db: Db,
  projectId: string,
  { evenIfRunning }: { evenIfRunning: boolean },
): Promise<string | undefined> {
  const [, { rows }] = await db.batch([
    lockJob(stateWanted, db, projectId),
    requestState(
      db,
      {
        ...wish("running"),
        status: sql`CASE WHEN ${projects.status} = 'failed' THEN 'initializing' ELSE ${projects.status} END`,
        hibernatedAt: sql`CASE WHEN ${projects.status} = 'failed' THEN NULL ELSE ${projects.hibernatedAt} END`,
      },
      and(
        eq(projects.id, projectId),
        ne(projects.status, "initializing"),
        isNull(projects.lostAt),
        evenIfRunning ? undefined : or(ne(projects.status, "running"), isNotNull(projects.wanted)),
      ),
    ),
    wantAllContainers(db, projectId),
  ]);
  return rows[0]?.generation;
}

/**
 * Requests that one more container runs, and the project with it. If the project is not running, only this container is
 * started. The background task shows the progress. Nothing for a project that has no files yet or is deleted.
 */
export async function wantContainer(
  db: Db,
  { projectId, containerId }: { projectId: string; containerId: string },
  task: { id: string; userId: string; type: "container_start" | "container_restart" },
): Promise<string | undefined> {
  const isOff = sql`EXISTS (
    SELECT 1 FROM projects p WHERE p.id = ${projectId}::uuid AND p.status <> 'running' AND p.wanted IS DISTINCT FROM 'running'
  )`;
  const [, , , { rows }] = await db.batch([
    lockJob(stateWanted, db, projectId),
    db
      .update(containers)
      .set({ wanted: false })
      .where(and(eq(containers.projectId, projectId), isOff)),
    db
      .update(containers)
      .set({ wanted: true, status: "starting", error: null })
      .where(and(eq(containers.id, containerId), eq(containers.deploymentMode, "container"))),
    requestState(
      db,
      { ...wish("running"), lastActivity: sql`now()` },
      and(eq(projects.id, projectId), isSetUp),
    ),
    insertBackgroundTask(db, { ...task, projectId, containerId, status: "queued" }),
  ]);
  return rows[0]?.generation;
}

/** Requests that nothing runs, with the files in place. Nothing when nothing runs or is wanted to run. */
export function wantStopped(db: Db, projectId: string): Promise<string | undefined> {
  const runs = or(eq(projects.status, "running"), eq(projects.wanted, "running"));
  return request(db, projectId, wish("stopped"), and(isSetUp, runs));
}

/**
 * Requests hibernation: the files go into a snapshot. Nothing for a project that is hibernated, has no files yet, or is
 * deleted.
 */
export function wantHibernated(db: Db, projectId: string): Promise<string | undefined> {
  const isUp = or(ne(projects.status, "hibernated"), isNotNull(projects.wanted));
  return request(db, projectId, wish("hibernated"), and(isSetUp, isUp));
}

/**
 * Requests that the files are restored, because a person uses them. Running and wanted programs are unaffected, except that
 * none is started again when a stop is in progress. Counts as a use of the project, which is up from then on. Nothing when a
 * restore is already in progress, has just failed, or is impossible because the files are gone for good.
 */
export function wantAwake(db: Db, projectId: string): Promise<string | undefined> {
  const wanted = sql`CASE
    WHEN ${projects.startedAt} IS NOT NULL AND ${projects.wanted} IS NULL THEN 'running' ELSE 'stopped' END`;
  const condition = and(
    isSetUp,
    or(isNull(projects.wanted), eq(projects.wanted, "hibernated")),
    or(
      isNull(projects.failedAt),
      sql`${projects.failedAt} < now() - make_interval(secs => ${WAKE_PAUSE_SECONDS}::int)`,
      sql`starts_with(${projects.error}, ${STOP_FAILURE})`,
    ),
  );
  return request(db, projectId, { ...wish(wanted), lastActivity: sql`now()` }, condition);
}

/** Cancels a project's setup: its executor loses the job. */
export async function cancelSetUp(db: Db, projectId: string): Promise<void> {
  const cancelled = db
    .update(projects)
    .set({ status: "failed", wanted: null, progress: null, error: "The setup was cancelled" })
    .where(and(eq(projects.id, projectId), eq(projects.status, "initializing")))
    .returning({ id: projects.id });
  await db.batch([
    lockJob(stateWanted, db, projectId),
    db.execute(
      sql`WITH cancelled AS ${cancelled} ${dropJobs(stateWanted, sql`SELECT id::text FROM cancelled`)}`,
    ),
  ]);
}

/**
 * Requests that a project without files gets new ones from a source, or none if it is null: after a loss or a failed setup.
 * Nothing for a project that has files, is deleted, or for which something is wanted already.
 */
export function wantFirstFiles(
  db: Db,
  projectId: string,
  source: ProjectSource | null,
): Promise<string | undefined> {
  const change = {
    ...wish("stopped"),
    status: "initializing",
    source,
    setUpAt: null,
    lostAt: null,
    hibernatedAt: null,
    startedAt: null,
  } as const;
  const hasNone = or(isNotNull(projects.lostAt), eq(projects.status, "failed"));
  return request(db, projectId, change, and(isNull(projects.wanted), hasNone));
}

/** The current and the wanted state of a project, and for how many seconds more its wake is not tried again. */
export async function lifeOf(db: Db, projectId: string) {
  const pause = sql`make_interval(secs => ${WAKE_PAUSE_SECONDS}::int)`;
  const [row] = await db
    .select({
      status: projects.status,
      wanted: projects.wanted,
      error: projects.error,
      lostAt: projects.lostAt,
      generation: projects.generation,
      pausedSeconds: sql<number>`CASE
        WHEN ${projects.wanted} IS NOT NULL OR starts_with(${projects.error}, ${STOP_FAILURE}) THEN 0
        ELSE greatest(0, coalesce(ceil(extract(epoch FROM ${projects.failedAt} + ${pause} - now())), 0)) END::int`,
    })
    .from(projects)
    .where(eq(projects.id, projectId));
  return row;
}
