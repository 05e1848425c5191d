import { and, eq, inArray, sql, type SQL } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { containers, projects, shellSessions } from "#src/db/schema/index.ts";
import { endTasks, type TaskEnding } from "#src/domain/workspaces/background-tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Wanted } from "./wishes.ts";

/* One executor's transition of a project: what its claim writes, its stages, and what it comes to. */

/** The project; no row for a deleted one. */
export function readProject(db: Db, projectId: string) {
  return db.select().from(projects).where(eq(projects.id, projectId));
}

/**
 * Write of a claim: the project's generation, which fences its files and snapshots against earlier executors. It is counted,
 * because the term of an attempt is a time: if the database's clock were set back, no executor could reach the files.
 */
export function nextGeneration(db: Db, projectId: string): SQL {
  return db
    .update(projects)
    .set({ generation: sql`${projects.generation} + 1` })
    .where(and(eq(projects.id, projectId), sql`${projects.wanted} IS NOT NULL AND EXISTS (SELECT FROM job)`))
    .getSQL();
}

/** What a stage changes in the project's row. */
export type StageChange = PgUpdateSetSource<typeof projects>;

/** Part of a stage: changes the project's row, and returns it. */
export function changeProject(db: Db, projectId: string, change: StageChange, isHeld: SQL) {
  return db
    .update(projects)
    .set(change)
    .where(and(eq(projects.id, projectId), isHeld))
    .returning();
}

/** The first files are in place. */
export const SET_UP = { status: "stopped", setUpAt: sql`now()` } as const;

/** Part of the stage in which the first files are in place: ends the background task of the creation. */
export function endCreation(db: Db, { id, slug }: { id: string; slug: string }, isHeld: SQL) {
  // For clients this result means that the project's containers are not configured yet.
  const result = { slug, container_id: "needs_setup" };
  return endTasks(db, { projectId: id, type: "project_creation" }, { status: "completed", result }, isHeld);
}

/** The outcome of a container's start. */
export interface ContainerEnd {
  id: string;
  name: string;
  /** Null for a running container. */
  error: string | null;
}

/** Part of a stage: ends the background tasks that waited for a container. */
export function endContainerTasks(db: Db, projectId: string, { id, name, error }: ContainerEnd, isHeld: SQL) {
  const ending: TaskEnding =
    error === null
      ? { status: "completed", result: { container_id: id, container_name: name, status: "running" } }
      : { status: "failed", error };
  return endTasks(db, { projectId, containerId: id }, ending, isHeld);
}

/** Part of a stage: shell sessions end with their environment. */
export function closeShellSessions(db: Db, projectId: string, isHeld: SQL) {
  return db
    .update(shellSessions)
    .set({ status: "closed", closedAt: sql`now()` })
    .where(
      and(
        eq(shellSessions.projectId, projectId),
        inArray(shellSessions.status, ["initializing", "active", "idle"]),
        isHeld,
      ),
    );
}

/** A container whose start was requested after the executor last handled starts. */
export const anotherAsked = sql`EXISTS (
  SELECT 1 FROM containers c WHERE c.project_id = projects.id AND c.wanted AND c.status = 'starting'
)`;

/** Nothing was requested since the executor claimed the job: else the next one finds what is wanted. */
const isLast = sql`EXISTS (SELECT FROM job WHERE NOT stored_again)`;

/** Writes of an outcome: the project is as was wanted, and the background tasks that waited for it end. */
export function reached(db: Db, projectId: string, wanted: Wanted, change: StageChange): SQL[] {
  // A task that waits for a container is cancelled when the project was stopped in the meantime.
  const ending: TaskEnding =
    wanted === "running"
      ? { status: "completed" }
      : { status: "cancelled", error: "The project was stopped" };
  return [
    db
      .update(projects)
      .set({ ...change, wanted: null, progress: null, failedAt: null })
      .where(and(eq(projects.id, projectId), isLast))
      .getSQL(),
    endTasks(db, { projectId }, ending, isLast).getSQL(),
  ];
}

/**
 * Writes of an outcome: the transition is given up, for a reason that the project, its containers and the waiting tasks say.
 * A setup becomes `failed`; a project whose files are gone for good is `stopped` and waits for a person's choice.
 */
export function givenUp(
  db: Db,
  projectId: string,
  { error, isLost }: { error: string; isLost: boolean },
): SQL[] {
  const lost = { lostAt: sql`now()`, status: "stopped", startedAt: null, hibernatedAt: null } as const;
  return [
    db
      .update(projects)
      .set({
        wanted: null,
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
      .where(and(eq(projects.id, projectId), isLast))
      .getSQL(),
    db
      .update(containers)
      .set({ status: "failed", error })
      .where(and(eq(containers.projectId, projectId), eq(containers.status, "starting"), isLast))
      .getSQL(),
    endTasks(db, { projectId }, { status: "failed", error }, isLast).getSQL(),
  ];
}
