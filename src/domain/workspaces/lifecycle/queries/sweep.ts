import { and, inArray, isNotNull, isNull, lt, not, or, sql, type SQL } from "drizzle-orm";
import { projects } from "#src/db/schema/index.ts";
import type { DeploysByTier } from "#src/domain/metering/tiers/index.ts";
import { stateWanted } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { isKeptAwake } from "./always-on.ts";
import { anotherAsked } from "./transition.ts";
import type { StoredJob } from "#src/work/job.ts";
import { requestState, STOP_FAILURE } from "./wishes.ts";

/* Queries of the sweep: projects whose wanted programs do not run, or that are idle or unsaved. */

/** An agent at work, a person at a terminal, a clone, or a deployment that reads the files: each of them ends by itself. */
const inUse = sql`(
  EXISTS (SELECT 1 FROM tasks t WHERE t.project_id = projects.id AND t.status IN ('queued', 'running'))
  OR EXISTS (
    SELECT 1 FROM shell_sessions s WHERE s.project_id = projects.id AND s.status IN ('initializing', 'active')
  )
  OR EXISTS (SELECT 1 FROM repositories r WHERE r.project_id = projects.id AND r.sync_status = 'cloning')
  OR EXISTS (
    SELECT 1 FROM deployments d WHERE d.project_id = projects.id AND d.status IN ('building', 'pushing')
  )
)`;

const minutesAgo = (minutes: number) => sql`now() - make_interval(mins => ${minutes}::int)`;

/**
 * Worded exactly as in the index `projects_last_used`: with the status as a parameter the planner would not use the index.
 */
const settledRunning = sql`${projects.status} = 'running' AND ${projects.wanted} IS NULL`;

/**
 * Which projects may have a live runtime, and when they were last used. Each is worded as in an index (`projects_last_used`,
 * `projects_left_up`). A runtime comes up with any use of a project, so a project that was never started has one as well;
 * a failed setup may have left one.
 */
const UP = {
  running: { is: settledRunning, lastUsed: sql`greatest(${projects.lastActivity}, ${projects.startedAt})` },
  notStarted: {
    is: sql`${projects.status} IN ('stopped', 'failed') AND ${projects.wanted} IS NULL AND ${projects.hibernatedAt} IS NULL AND ${projects.lostAt} IS NULL`,
    lastUsed: sql`greatest(${projects.lastActivity}, ${projects.setUpAt}, ${projects.createdAt})`,
  },
} as const;

export type Up = keyof typeof UP;

/** What has a job locks it before the project. The sweep, which locks many projects first, takes those without one. */
const hasNoJob = sql`NOT EXISTS (
  SELECT FROM jobs WHERE kind = ${stateWanted.name}::text AND key = ${projects.id}::text AND failed_at IS NULL
)`;

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
 * Requests the restart of programs that ended with their environment. A stop that was given up is still said. Returns the
 * stored jobs.
 */
export async function wantLostPrograms(db: Db, limit: number): Promise<StoredJob[]> {
  const lost = and(settledRunning, anotherAsked, hasNoJob);
  const error = sql`CASE WHEN starts_with(${projects.error}, ${STOP_FAILURE}) THEN ${projects.error} END`;
  const { rows } = await requestState(db, { wanted: "running", error }, and(lost, some(db, lost, limit)));
  return rows;
}

interface IdleProjects {
  up: Up;
  most: DeploysByTier;
  limit: number;
}

/** Marks projects that were idle for this long as warned. Returns each project once. */
export async function warnIdleProjects(
  db: Db,
  idleMinutes: number,
  { up, most, limit }: IdleProjects,
): Promise<string[]> {
  const { is, lastUsed } = UP[up];
  const idle = and(
    is,
    not(isKeptAwake(most)),
    isNull(projects.idleWarnedAt),
    sql`${lastUsed} < ${minutesAgo(idleMinutes)}`,
    // A hibernation that was given up is tried again after as long a time.
    or(isNull(projects.failedAt), lt(projects.failedAt, minutesAgo(idleMinutes))),
    sql`NOT ${inUse}`,
  );
  const rows = await db
    .update(projects)
    .set({ idleWarnedAt: sql`now()` })
    .where(and(idle, some(db, idle, limit)))
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}

/** Requests the hibernation of projects that stayed idle for this long after the warning. Returns the stored jobs. */
export async function hibernateIdleProjects(
  db: Db,
  graceMinutes: number,
  { up, most, limit }: IdleProjects,
): Promise<StoredJob[]> {
  const { is, lastUsed } = UP[up];
  const idle = and(
    is,
    not(isKeptAwake(most)),
    sql`${projects.idleWarnedAt} <= ${minutesAgo(graceMinutes)}`,
    sql`${lastUsed} <= ${projects.idleWarnedAt}`,
    sql`NOT ${inUse}`,
    hasNoJob,
  );
  // The warning stays set, so that the executor knows the reason. A failed setup still says why.
  const error = sql`CASE WHEN ${projects.status} = 'failed' THEN ${projects.error} END`;
  const change = { wanted: "hibernated", error, failedAt: null } as const;
  const { rows } = await requestState(db, change, and(idle, some(db, idle, limit)));
  return rows;
}

/** Using the project clears the warning. */
export async function forgetIdleWarnings(db: Db): Promise<void> {
  const lastUsed = sql`greatest(${projects.lastActivity}, ${projects.startedAt})`;
  await db
    .update(projects)
    .set({ idleWarnedAt: null })
    .where(and(isNotNull(projects.idleWarnedAt), or(sql`${lastUsed} > ${projects.idleWarnedAt}`, inUse)));
}

/** How long a project must have been quiet for its snapshot to be worth taking, and how old the last one may get in use. */
const QUIET_MINUTES = 1;
const UNSAVED_MINUTES = 15;

/**
 * Requests snapshots of projects that were used since their last request: the first one at once, later ones when the project
 * has become quiet, as after a run of the agent, or has been in use for long. Returns each project once.
 */
export async function projectsToSave(db: Db, limit: number): Promise<string[]> {
  const lastUsed = sql`greatest(${projects.lastActivity}, ${projects.startedAt}, ${projects.setUpAt})`;
  // Worded as in the index `projects_unsaved`.
  const unsaved = sql`${projects.status} IN ('running', 'stopped') AND ${projects.wanted} IS NULL AND ${projects.lostAt} IS NULL AND (${projects.saveAskedAt} IS NULL OR ${projects.saveAskedAt} < ${lastUsed})`;
  const due = or(
    isNull(projects.saveAskedAt),
    lt(projects.saveAskedAt, minutesAgo(UNSAVED_MINUTES)),
    and(sql`${lastUsed} < ${minutesAgo(QUIET_MINUTES)}`, sql`NOT ${inUse}`),
  );
  const chosen = db
    .select({ id: projects.id })
    .from(projects)
    .where(and(unsaved, due))
    .orderBy(sql`${projects.saveAskedAt} NULLS FIRST`)
    .limit(limit);
  const rows = await db
    .update(projects)
    .set({ saveAskedAt: sql`now()` })
    .where(and(unsaved, due, inArray(projects.id, chosen)))
    .returning({ id: projects.id });
  return rows.map(({ id }) => id);
}
