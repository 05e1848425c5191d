import { and, asc, inArray, isNotNull, isNull, not, or, sql, type SQL } from "drizzle-orm";
import { projects } from "#src/db/schema/index.ts";
import type { DeploysByTier } from "#src/domain/billing/tiers/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { isKeptAwake } from "./always-on.ts";
import { anotherAsked, unleased } from "./transition.ts";
import { STOP_FAILURE } from "./wishes.ts";

/* Queries of the sweep: projects whose transition lost its executor, whose wanted programs do not run, or that are idle. */

/** Projects with a wanted state and without an executor. */
export async function projectsLeftAlone(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: projects.id })
    .from(projects)
    .where(and(isNotNull(projects.wanted), unleased))
    .orderBy(asc(projects.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** As the index `projects_last_used` has it. */
const lastUsed = sql`greatest(${projects.lastActivity}, ${projects.startedAt})`;

/** An agent at work, or a person at a terminal. */
const inUse = sql`(
  EXISTS (SELECT 1 FROM tasks t WHERE t.project_id = projects.id AND t.status IN ('queued', 'running'))
  OR EXISTS (
    SELECT 1 FROM shell_sessions s WHERE s.project_id = projects.id AND s.status IN ('initializing', 'active')
  )
)`;

const minutesAgo = (minutes: number) => sql`now() - make_interval(mins => ${minutes}::int)`;

/**
 * Worded exactly as in the index `projects_last_used`: with the status as a parameter the planner would not use the index.
 */
const settledRunning = sql`${projects.status} = 'running' AND ${projects.wanted} IS NULL`;

/** The ids of at most this many matching projects. */
const some = (db: Db, matching: SQL | undefined, limit: number) =>
  inArray(projects.id, db.select({ id: projects.id }).from(projects).where(matching).limit(limit));

/** A random choice of running projects with a wanted program, so that every such project is checked eventually. */
export async function projectsWithPrograms(db: Db, limit: number): Promise<{ id: string }[]> {
  const hasProgram = sql`EXISTS (
    SELECT 1 FROM containers c WHERE c.project_id = projects.id AND c.status = 'running' AND c.startup_command <> ''
  )`;
  return db
    .select({ id: projects.id })
    .from(projects)
    .where(and(settledRunning, hasProgram))
    .orderBy(sql`random()`)
    .limit(limit);
}

/**
 * Requests the restart of programs that ended with their environment. A stop that was given up is still said. Returns each
 * project once.
 */
export async function wantLostPrograms(db: Db, limit: number): Promise<string[]> {
  const lost = and(settledRunning, anotherAsked);
  const rows = await db
    .update(projects)
    .set({
      wanted: "running",
      error: sql`CASE WHEN starts_with(${projects.error}, ${STOP_FAILURE}) THEN ${projects.error} END`,
      attempts: 0,
    })
    .where(and(lost, some(db, lost, limit)))
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}

/** Marks running projects that were idle for this long as warned. Returns each project once. */
export async function warnIdleProjects(
  db: Db,
  idleMinutes: number,
  most: DeploysByTier,
  limit: number,
): Promise<string[]> {
  const idle = and(
    settledRunning,
    not(isKeptAwake(most)),
    isNull(projects.idleWarnedAt),
    sql`${lastUsed} < ${minutesAgo(idleMinutes)}`,
    sql`NOT ${inUse}`,
  );
  const rows = await db
    .update(projects)
    .set({ idleWarnedAt: sql`now()` })
    .where(and(idle, some(db, idle, limit)))
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}

/** Requests the hibernation of projects that stayed idle for this long after the warning. Returns each project once. */
export async function hibernateIdleProjects(
  db: Db,
  graceMinutes: number,
  most: DeploysByTier,
  limit: number,
): Promise<string[]> {
  const idle = and(
    settledRunning,
    not(isKeptAwake(most)),
    sql`${projects.idleWarnedAt} <= ${minutesAgo(graceMinutes)}`,
    sql`${lastUsed} <= ${projects.idleWarnedAt}`,
    sql`NOT ${inUse}`,
  );
  const rows = await db
    .update(projects)
    // The warning stays set, so that the executor knows the reason.
    .set({ wanted: "hibernated", error: null, attempts: 0 })
    .where(and(idle, some(db, idle, limit)))
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}

/** Using the project clears the warning. */
export async function forgetIdleWarnings(db: Db): Promise<void> {
  await db
    .update(projects)
    .set({ idleWarnedAt: null })
    .where(and(isNotNull(projects.idleWarnedAt), or(sql`${lastUsed} > ${projects.idleWarnedAt}`, inUse)));
}
