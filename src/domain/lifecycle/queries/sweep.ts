import { and, asc, inArray, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import { projects } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { anotherAsked, unleased } from "./way.ts";

/*
 * Projects that the sweep finds: left alone on their way, without the programs they are to run, or without use.
 */

/** Projects that are on no way although something is wanted of them. */
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

/** An agent at work, or somebody at a terminal. */
const inUse = sql`(
  EXISTS (SELECT 1 FROM tasks t WHERE t.project_id = projects.id AND t.status IN ('queued', 'running'))
  OR EXISTS (
    SELECT 1 FROM shell_sessions s WHERE s.project_id = projects.id AND s.status IN ('initializing', 'active')
  )
)`;

const minutesAgo = (minutes: number) => sql`now() - make_interval(mins => ${minutes}::int)`;

/** As `projects_last_used` has it, word for word: a status that comes as a value would not be seen to be that of the index. */
const settledRunning = sql`${projects.status} = 'running' AND ${projects.wanted} IS NULL`;

/** At most so many of the projects that match. */
const some = (db: Db, matching: SQL | undefined, limit: number) =>
  inArray(projects.id, db.select({ id: projects.id }).from(projects).where(matching).limit(limit));

/** Running projects in which a program is to run; any of them, so that in the end all are looked at. */
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

/** Want running projects to start again what went with their environment; each is named once. */
export async function wantLostPrograms(db: Db, limit: number): Promise<string[]> {
  const lost = and(settledRunning, anotherAsked);
  const rows = await db
    .update(projects)
    .set({ wanted: "running", error: null, attempts: 0 })
    .where(and(lost, some(db, lost, limit)))
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}

/** Warn of running projects that nobody has used for so long; each is named once. */
export async function warnIdleProjects(db: Db, idleMinutes: number, limit: number): Promise<string[]> {
  const idle = and(
    settledRunning,
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

/** Want projects hibernated whose warning is so long ago and that nobody has used since; each is named once. */
export async function hibernateIdleProjects(db: Db, graceMinutes: number, limit: number): Promise<string[]> {
  const idle = and(
    settledRunning,
    sql`${projects.idleWarnedAt} <= ${minutesAgo(graceMinutes)}`,
    sql`${lastUsed} <= ${projects.idleWarnedAt}`,
    sql`NOT ${inUse}`,
  );
  const rows = await db
    .update(projects)
    // The warning stays, and tells the executor why.
    .set({ wanted: "hibernated", error: null, attempts: 0 })
    .where(and(idle, some(db, idle, limit)))
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}

/** A warning holds no more once the project is used. */
export async function forgetIdleWarnings(db: Db): Promise<void> {
  await db
    .update(projects)
    .set({ idleWarnedAt: null })
    .where(and(isNotNull(projects.idleWarnedAt), or(sql`${lastUsed} > ${projects.idleWarnedAt}`, inUse)));
}
