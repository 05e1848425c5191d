import { and, eq, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { containers, projects, shellSessions } from "#src/db/schema/index.ts";
import { advanceTasks, endTasks, type TaskEnding } from "#src/domain/background-tasks/index.ts";
import type { Project } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Wanted } from "./wishes.ts";

/*
 * One executor on a project's way: it takes the project, writes what is behind under its generation, and gives it back.
 */

/** How long an executor counts as alive after its last word. */
const LEASE_SECONDS = 20;

const leased = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
/** Nobody is at work on it, or whoever was has died. */
export const unleased = or(isNull(projects.leaseUntil), lt(projects.leaseUntil, sql`now()`));

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
  change: Partial<Pick<Project, "status" | "startedAt" | "hibernatedAt" | "error">>,
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
export const anotherAsked = sql`EXISTS (
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
