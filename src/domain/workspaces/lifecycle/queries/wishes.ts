import { and, eq, isNotNull, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import { containers, projects, type ProjectSource } from "#src/db/schema/index.ts";
import { insertBackgroundTask } from "#src/domain/operations/background-tasks/index.ts";
import type { Project } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/* The wanted state of a project: written by requests, read by the executor. */

export type Wanted = NonNullable<Project["wanted"]>;

/** A new wanted state replaces the previous one, with the full number of attempts. */
const wish = (wanted: Wanted | SQL) => ({
  wanted,
  error: null,
  failedAt: null,
  attempts: 0,
  idleWarnedAt: null,
});

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
 * Requests that the project runs with all its containers. A failed setup is retried. No row for a project that is being set
 * up or is deleted, or that already runs, unless `evenIfRunning`.
 */
export async function wantRunning(
  db: Db,
  projectId: string,
  { evenIfRunning }: { evenIfRunning: boolean },
): Promise<Project | undefined> {
  const [[wanted]] = await db.batch([
    db
      .update(projects)
      .set({
        ...wish("running"),
        status: sql`CASE WHEN ${projects.status} = 'failed' THEN 'initializing' ELSE ${projects.status} END`,
        hibernatedAt: sql`CASE WHEN ${projects.status} = 'failed' THEN NULL ELSE ${projects.hibernatedAt} END`,
      })
      .where(
        and(
          eq(projects.id, projectId),
          ne(projects.status, "initializing"),
          isNull(projects.lostAt),
          evenIfRunning ? undefined : or(ne(projects.status, "running"), isNotNull(projects.wanted)),
        ),
      )
      .returning(),
    wantAllContainers(db, projectId),
  ]);
  return wanted;
}

/**
 * Requests that one more container runs, and the project with it. If the project is not running, only this container is
 * started. The background task shows the progress. No row for a project that has no files yet or is deleted.
 */
export async function wantContainer(
  db: Db,
  { projectId, containerId }: { projectId: string; containerId: string },
  task: { id: string; userId: string; type: "container_start" | "container_restart" },
): Promise<Project | undefined> {
  const isOff = sql`EXISTS (
    SELECT 1 FROM projects p WHERE p.id = ${projectId}::uuid AND p.status <> 'running' AND p.wanted IS DISTINCT FROM 'running'
  )`;
  const [, , [wanted]] = await db.batch([
    db
      .update(containers)
      .set({ wanted: false })
      .where(and(eq(containers.projectId, projectId), isOff)),
    db
      .update(containers)
      .set({ wanted: true, status: "starting", error: null })
      .where(and(eq(containers.id, containerId), eq(containers.deploymentMode, "container"))),
    db
      .update(projects)
      .set({ ...wish("running"), lastActivity: sql`now()` })
      .where(and(eq(projects.id, projectId), isSetUp))
      .returning(),
    insertBackgroundTask(db, { ...task, projectId, containerId, status: "queued" }),
  ]);
  return wanted;
}

/** Requests that nothing runs, with the files in place. No row when nothing runs or is wanted to run. */
export async function wantStopped(db: Db, projectId: string): Promise<Project | undefined> {
  const [wanted] = await db
    .update(projects)
    .set(wish("stopped"))
    .where(
      and(
        eq(projects.id, projectId),
        isSetUp,
        or(eq(projects.status, "running"), eq(projects.wanted, "running")),
      ),
    )
    .returning();
  return wanted;
}

/**
 * Requests hibernation: the files go into a snapshot. No row for a project that is hibernated, has no files yet, or is
 * deleted.
 */
export async function wantHibernated(db: Db, projectId: string): Promise<Project | undefined> {
  const [wanted] = await db
    .update(projects)
    .set(wish("hibernated"))
    .where(
      and(
        eq(projects.id, projectId),
        isSetUp,
        or(ne(projects.status, "hibernated"), isNotNull(projects.wanted)),
      ),
    )
    .returning();
  return wanted;
}

/**
 * Requests that the files are restored, because a person uses them. Running and wanted programs are unaffected, except that
 * none is started again when a stop is in progress. Counts as a use of the project, which is up from then on. No row when a
 * restore is already in progress, has just failed, or is impossible because the files are gone for good.
 */
export async function wantAwake(db: Db, projectId: string): Promise<Project | undefined> {
  const [wanted] = await db
    .update(projects)
    .set({
      ...wish(sql`CASE
          WHEN ${projects.startedAt} IS NOT NULL AND ${projects.wanted} IS NULL THEN 'running' ELSE 'stopped' END`),
      lastActivity: sql`now()`,
    })
    .where(
      and(
        eq(projects.id, projectId),
        isSetUp,
        or(isNull(projects.wanted), eq(projects.wanted, "hibernated")),
        or(
          isNull(projects.failedAt),
          sql`${projects.failedAt} < now() - make_interval(secs => ${WAKE_PAUSE_SECONDS}::int)`,
          sql`starts_with(${projects.error}, ${STOP_FAILURE})`,
        ),
      ),
    )
    .returning();
  return wanted;
}

/** Cancels a project's setup and supersedes its executor. */
export async function cancelSetUp(db: Db, projectId: string): Promise<void> {
  await db
    .update(projects)
    .set({
      status: "failed",
      wanted: null,
      generation: sql`${projects.generation} + 1`,
      leaseUntil: null,
      attempts: 0,
      progress: null,
      error: "The setup was cancelled",
    })
    .where(and(eq(projects.id, projectId), eq(projects.status, "initializing")));
}

/**
 * Requests that a project without files gets new ones from a source, or none if it is null: after a loss or a failed setup.
 * No row for a project that has files, is deleted, or for which something is wanted already.
 */
export async function wantFirstFiles(
  db: Db,
  projectId: string,
  source: ProjectSource | null,
): Promise<Project | undefined> {
  const [wanted] = await db
    .update(projects)
    .set({
      ...wish("stopped"),
      status: "initializing",
      source,
      setUpAt: null,
      lostAt: null,
      hibernatedAt: null,
      startedAt: null,
    })
    .where(
      and(
        eq(projects.id, projectId),
        isNull(projects.wanted),
        or(isNotNull(projects.lostAt), eq(projects.status, "failed")),
      ),
    )
    .returning();
  return wanted;
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
