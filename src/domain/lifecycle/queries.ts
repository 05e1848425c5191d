import { and, asc, eq, inArray, isNotNull, isNull, lt, ne, or, sql, type SQL } from "drizzle-orm";
import { containers, projects, shellSessions } from "#src/db/schema/index.ts";
import {
  advanceTasks,
  endTasks,
  insertBackgroundTask,
  type TaskEnding,
} from "#src/domain/background-tasks/index.ts";
import type { Project } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** How long an executor counts as alive after its last word. */
const LEASE_SECONDS = 20;

const leased = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
const unleased = or(isNull(projects.leaseUntil), lt(projects.leaseUntil, sql`now()`));

export type Wanted = NonNullable<Project["wanted"]>;

/** A new wish takes the place of the last one, with all its attempts before it. */
const wish = (wanted: Wanted | SQL) => ({ wanted, error: null, attempts: 0, idleWarnedAt: null });

const isSetUp = sql`${projects.status} NOT IN ('initializing', 'failed')`;

/** Every container is to run while the project does; for a batch after the wish, of which it is part. */
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
 * Want the project to run, with all its containers. A setup that failed is begun again. No row for a project that runs
 * already, unless `evenIfRunning`, that is being set up, or that is gone.
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
      })
      .where(
        and(
          eq(projects.id, projectId),
          ne(projects.status, "initializing"),
          evenIfRunning ? undefined : or(ne(projects.status, "running"), isNotNull(projects.wanted)),
        ),
      )
      .returning(),
    wantAllContainers(db, projectId),
  ]);
  return wanted;
}

/**
 * Want one more container to run, and the project with it: where the project does not run, none but this one. The task
 * tells how that goes. No row for a project that has no files yet, or is gone.
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

/** Want nothing to run, with the files where they are. No row where nothing runs and nothing is to. */
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

/** Want the files in a snapshot. No row for a project that is hibernated, has no files yet, or is gone. */
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
 * Want the files back, since somebody uses them: what runs, or is to run, goes on. No row where that is under way already.
 */
export async function wantAwake(db: Db, projectId: string): Promise<Project | undefined> {
  const [wanted] = await db
    .update(projects)
    .set(wish(sql`CASE WHEN ${projects.startedAt} IS NOT NULL THEN 'running' ELSE 'stopped' END`))
    .where(
      and(
        eq(projects.id, projectId),
        isSetUp,
        or(isNull(projects.wanted), eq(projects.wanted, "hibernated")),
      ),
    )
    .returning();
  return wanted;
}

/**
 * Become the executor of what is wanted, if nobody is: the next generation, with a lease. Else `busySeconds` until the
 * lease of the one there is runs out; absent where nothing is wanted, or the project is gone.
 */
export async function claimProject(
  db: Db,
  projectId: string,
): Promise<{ claimed?: Project; busySeconds?: number }> {
  const [[claimed], [current]] = await db.batch([
    db
      .update(projects)
      .set({
        generation: sql`${projects.generation} + 1`,
        attempts: sql`${projects.attempts} + 1`,
        leaseUntil: leased,
      })
      .where(and(eq(projects.id, projectId), isNotNull(projects.wanted), unleased))
      .returning(),
    db
      .select({
        wanted: projects.wanted,
        seconds: sql<number>`ceil(extract(epoch FROM ${projects.leaseUntil} - now()))::int`,
      })
      .from(projects)
      .where(eq(projects.id, projectId)),
  ]);
  if (claimed) return { claimed };
  return current?.wanted ? { busySeconds: Math.max(1, current.seconds) } : {};
}

type Executor = Pick<Project, "id" | "generation">;

const mine = ({ id, generation }: Executor) => and(eq(projects.id, id), eq(projects.generation, generation));

/** For tables that hang on a project. */
const whileMine = ({ id, generation }: Executor) =>
  sql`EXISTS (SELECT 1 FROM projects p WHERE p.id = ${id}::uuid AND p.generation = ${generation}::int)`;

/** The same once nothing is wanted any more. */
const whileSettled = ({ id, generation }: Executor) => sql`EXISTS (
  SELECT 1 FROM projects p WHERE p.id = ${id}::uuid AND p.generation = ${generation}::int AND p.wanted IS NULL
)`;

/** Stay the executor; no row when another one has taken over, the lease was given back, or the project is gone. */
export async function renewLease(db: Db, executor: Executor): Promise<Project | undefined> {
  const [row] = await db
    .update(projects)
    .set({ leaseUntil: leased })
    .where(and(mine(executor), isNotNull(projects.leaseUntil)))
    .returning();
  return row;
}

/** Record that a part of the way is behind; the attempts are counted anew. No row for one that was superseded. */
export async function recordStep(
  db: Db,
  executor: Executor,
  change: Partial<Pick<Project, "status" | "startedAt" | "hibernatedAt">>,
): Promise<Project | undefined> {
  const [row] = await db
    .update(projects)
    .set({ ...change, attempts: 0, leaseUntil: leased })
    .where(mine(executor))
    .returning();
  return row;
}

/** The first files are there, which ends the task of the creation. No row for an executor that was superseded. */
export async function recordSetUp(
  db: Db,
  executor: Executor & Pick<Project, "slug">,
): Promise<Project | undefined> {
  // Clients take this result for a project whose containers are still to be configured.
  const result = { slug: executor.slug, container_id: "needs_setup" };
  const [[row]] = await db.batch([
    db
      .update(projects)
      .set({ status: "stopped", setUpAt: sql`now()`, attempts: 0, leaseUntil: leased })
      .where(mine(executor))
      .returning(),
    endTasks(
      db,
      { projectId: executor.id, type: "project_creation" },
      { status: "completed", result },
      whileMine(executor),
    ),
  ]);
  return row;
}

/** Say what is being done: to who asks for the project, and to who waits for a task. */
export async function recordProgress(
  db: Db,
  executor: Executor,
  progress: { percentage: number; message: string },
): Promise<void> {
  await db.batch([
    db.update(projects).set({ progress: progress.message }).where(mine(executor)),
    advanceTasks(db, executor.id, progress, whileMine(executor)),
  ]);
}

/** A container that somebody asked for since its start was last looked after. */
const anotherAsked = sql`EXISTS (
  SELECT 1 FROM containers c WHERE c.project_id = projects.id AND c.wanted AND c.status = 'starting'
)`;

/**
 * The project is where it was wanted, and the tasks that waited for it are over. No row for an executor that was
 * superseded, and where something else is wanted by now: then there is more to do.
 */
export async function finishWay(
  db: Db,
  executor: Executor,
  wanted: Wanted,
  change: Partial<Pick<Project, "status" | "startedAt" | "hibernatedAt" | "idleWarnedAt" | "error">>,
): Promise<Project | undefined> {
  const update = db
    .update(projects)
    .set({ ...change, wanted: null, leaseUntil: null, attempts: 0, progress: null })
    .where(
      and(
        mine(executor),
        eq(projects.wanted, wanted),
        wanted === "running" ? sql`NOT ${anotherAsked}` : undefined,
      ),
    )
    .returning();
  // Whoever waits for a container gets none when the project was stopped meanwhile.
  const ending: TaskEnding =
    wanted === "running"
      ? { status: "completed" }
      : { status: "cancelled", error: "The project was stopped" };
  const [[finished]] = await db.batch([
    update,
    endTasks(db, { projectId: executor.id }, ending, whileSettled(executor)),
  ]);
  return finished;
}

/**
 * The project stays where it was, and it, the containers and the tasks that waited for it say why; a setup has failed. No
 * row for an executor that was superseded, and where something else is wanted by now.
 */
export async function giveUpWay(
  db: Db,
  executor: Executor,
  { wanted, error }: { wanted: Wanted; error: string },
): Promise<Project | undefined> {
  const update = db
    .update(projects)
    .set({
      wanted: null,
      leaseUntil: null,
      attempts: 0,
      progress: null,
      error,
      status: sql`CASE
        WHEN ${projects.status} = 'initializing' THEN 'failed'
        WHEN ${projects.status} = 'running' AND ${projects.startedAt} IS NULL THEN 'stopped'
        ELSE ${projects.status} END`,
    })
    .where(and(mine(executor), eq(projects.wanted, wanted)))
    .returning();
  const [[given]] = await db.batch([
    update,
    db
      .update(containers)
      .set({ status: "failed", error })
      .where(
        and(eq(containers.projectId, executor.id), eq(containers.status, "starting"), whileSettled(executor)),
      ),
    endTasks(db, { projectId: executor.id }, { status: "failed", error }, whileSettled(executor)),
  ]);
  return given;
}

/** Make room for the next executor. */
export async function releaseLease(db: Db, executor: Executor): Promise<void> {
  await db.update(projects).set({ leaseUntil: null }).where(mine(executor));
}

/** How a container that was to be started has ended up. */
export interface ContainerEnd {
  id: string;
  name: string;
  /** Null for one that runs. */
  error: string | null;
}

/** End the tasks that waited for a container. */
export async function endContainerTasks(
  db: Db,
  executor: Executor,
  { id, name, error }: ContainerEnd,
): Promise<void> {
  const ending: TaskEnding =
    error === null
      ? { status: "completed", result: { container_id: id, container_name: name, status: "running" } }
      : { status: "failed", error };
  await endTasks(db, { projectId: executor.id, containerId: id }, ending, whileMine(executor));
}

/** Sessions end with what they ran in. */
export async function closeShellSessions(db: Db, projectId: string): Promise<void> {
  await db
    .update(shellSessions)
    .set({ status: "closed", closedAt: sql`now()` })
    .where(
      and(
        eq(shellSessions.projectId, projectId),
        inArray(shellSessions.status, ["initializing", "active", "idle"]),
      ),
    );
}

/** Where a project is and where it is going. */
export async function lifeOf(db: Db, projectId: string) {
  const [row] = await db
    .select({ status: projects.status, wanted: projects.wanted, error: projects.error })
    .from(projects)
    .where(eq(projects.id, projectId));
  return row;
}

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

const lastUsed = sql`greatest(${projects.lastActivity}, ${projects.startedAt})`;

/** An agent at work, or somebody at a terminal. */
const inUse = sql`(
  EXISTS (SELECT 1 FROM tasks t WHERE t.project_id = projects.id AND t.status IN ('queued', 'running'))
  OR EXISTS (
    SELECT 1 FROM shell_sessions s WHERE s.project_id = projects.id AND s.status IN ('initializing', 'active')
  )
)`;

const minutesAgo = (minutes: number) => sql`now() - make_interval(mins => ${minutes}::int)`;

const settledRunning = and(eq(projects.status, "running"), isNull(projects.wanted));

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

/** Give up a project's setup; whoever works on it is superseded. */
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
