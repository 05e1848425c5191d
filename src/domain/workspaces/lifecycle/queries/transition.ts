import { and, eq, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { containers, projects, shellSessions } from "#src/db/schema/index.ts";
import { advanceTasks, endTasks, type TaskEnding } from "#src/domain/operations/background-tasks/index.ts";
import type { Project } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Wanted } from "./wishes.ts";

/*
 * One executor's transition of a project: it claims the project, records finished stages fenced by its generation, and
 * releases it.
 */

/** Duration of the lease after each renewal. */
const LEASE_SECONDS = 20;

const leased = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
/** No executor holds a lease, or the lease has expired. */
export const unleased = or(isNull(projects.leaseUntil), lt(projects.leaseUntil, sql`now()`));

/**
 * Claims a project with a wanted state if no lease is held: increments the generation and takes a lease. Otherwise returns
 * the current lease; absent when nothing is wanted or the project is deleted.
 */
export async function claimProject(
  db: Db,
  projectId: string,
): Promise<{ claimed?: Project; busy?: { until: Date; seconds: number } }> {
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
        until: projects.leaseUntil,
        seconds: sql<number>`ceil(extract(epoch FROM ${projects.leaseUntil} - now()))::int`,
      })
      .from(projects)
      .where(eq(projects.id, projectId)),
  ]);
  if (claimed) return { claimed };
  if (!current?.wanted || !current.until) return {};
  return { busy: { until: current.until, seconds: Math.max(1, current.seconds) } };
}

type Executor = Pick<Project, "id" | "generation">;

const mine = ({ id, generation }: Executor) => and(eq(projects.id, id), eq(projects.generation, generation));

/** The same fence for tables that belong to a project. */
const whileMine = ({ id, generation }: Executor) =>
  sql`EXISTS (SELECT 1 FROM projects p WHERE p.id = ${id}::uuid AND p.generation = ${generation}::int)`;

/** The same, once the project has no wanted state. */
const whileSettled = ({ id, generation }: Executor) => sql`EXISTS (
  SELECT 1 FROM projects p WHERE p.id = ${id}::uuid AND p.generation = ${generation}::int AND p.wanted IS NULL
)`;

/** Renews the lease. No row when another executor has taken over, the lease was released, or the project is deleted. */
export async function renewLease(db: Db, executor: Executor): Promise<Project | undefined> {
  const [row] = await db
    .update(projects)
    .set({ leaseUntil: leased })
    .where(and(mine(executor), isNotNull(projects.leaseUntil)))
    .returning();
  return row;
}

/** Records a finished stage and resets the attempt count. No row for a superseded executor. */
export async function recordStage(
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

/**
 * Records that the initial files are in place, which ends the background task of the creation. No row for a superseded
 * executor.
 */
export async function recordSetUp(
  db: Db,
  executor: Executor & Pick<Project, "slug">,
): Promise<Project | undefined> {
  // For clients this result means that the project's containers are not configured yet.
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

/** Records the current step on the project and on its waiting background tasks. */
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

/** A container whose start was requested after the executor last handled starts. */
export const anotherAsked = sql`EXISTS (
  SELECT 1 FROM containers c WHERE c.project_id = projects.id AND c.wanted AND c.status = 'starting'
)`;

/**
 * Records that the project has reached its wanted state, and ends the background tasks that waited for it. No row for a
 * superseded executor, or when the wanted state has changed and more is to do.
 */
export async function finishTransition(
  db: Db,
  executor: Executor,
  wanted: Wanted,
  change: Partial<Pick<Project, "status" | "startedAt" | "hibernatedAt" | "idleWarnedAt" | "error">>,
): Promise<Project | undefined> {
  const update = db
    .update(projects)
    .set({ ...change, wanted: null, leaseUntil: null, attempts: 0, progress: null, failedAt: null })
    .where(
      and(
        mine(executor),
        eq(projects.wanted, wanted),
        wanted === "running" ? sql`NOT ${anotherAsked}` : undefined,
      ),
    )
    .returning();
  // A task that waits for a container is cancelled when the project was stopped in the meantime.
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
 * Gives up the transition and records the reason on the project, its containers and the waiting tasks. A setup becomes
 * `failed`; a project whose files are gone for good is `stopped` and waits for a person's choice. No row for a superseded
 * executor, or when the wanted state has changed.
 */
export async function giveUpTransition(
  db: Db,
  executor: Executor,
  { wanted, error, isLost }: { wanted: Wanted; error: string; isLost: boolean },
): Promise<Project | undefined> {
  const lost = { lostAt: sql`now()`, status: "stopped", startedAt: null, hibernatedAt: null } as const;
  const update = db
    .update(projects)
    .set({
      wanted: null,
      leaseUntil: null,
      attempts: 0,
      progress: null,
      error,
      failedAt: sql`now()`,
      // Another warning precedes another attempt to hibernate it.
      idleWarnedAt: null,
      status: sql`CASE
        WHEN ${projects.status} = 'initializing' THEN 'failed'
        WHEN ${projects.status} = 'running' AND ${projects.startedAt} IS NULL THEN 'stopped'
        ELSE ${projects.status} END`,
      ...(isLost && lost),
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

/** Releases the lease for the next executor. */
export async function releaseLease(db: Db, executor: Executor): Promise<void> {
  await db.update(projects).set({ leaseUntil: null }).where(mine(executor));
}

/** The outcome of a container's start. */
export interface ContainerEnd {
  id: string;
  name: string;
  /** Null for a running container. */
  error: string | null;
}

/** Ends the background tasks that waited for a container. */
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

/** Shell sessions end with their environment. */
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
