import { and, desc, eq, inArray, ne, sql, type SQL } from "drizzle-orm";
import { backgroundTasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type BackgroundTask = typeof backgroundTasks.$inferSelect;

/** States of unfinished tasks. */
const OPEN = ["queued", "running"] as const;

const isOpen = inArray(backgroundTasks.status, [...OPEN]);
/** The tasks that a project's executor advances and ends. The task of a deletion is not one: it ends once the files are removed. */
const isOfExecutor = and(isOpen, ne(backgroundTasks.type, "project_deletion"));

/** Stores a new background task, which may already be finished. Returns a query, so that it can be part of a batch. */
export function insertBackgroundTask(
  db: Db,
  task: Pick<
    typeof backgroundTasks.$inferInsert,
    "id" | "userId" | "projectId" | "containerId" | "type" | "status"
  >,
) {
  return db.insert(backgroundTasks).values(task);
}

export async function backgroundTaskById(db: Db, taskId: string): Promise<BackgroundTask | undefined> {
  const [task] = await db.select().from(backgroundTasks).where(eq(backgroundTasks.id, taskId));
  return task;
}

/** A person's background tasks, newest first. */
export function backgroundTasksOf(db: Db, userId: string, only: { open: boolean; limit: number }) {
  return db
    .select()
    .from(backgroundTasks)
    .where(and(eq(backgroundTasks.userId, userId), only.open ? isOpen : undefined))
    .orderBy(desc(backgroundTasks.createdAt), desc(backgroundTasks.id))
    .limit(only.limit);
}

/** The background task of a container's start in progress. */
export async function openTaskOfContainer(db: Db, containerId: string): Promise<BackgroundTask | undefined> {
  const [task] = await db
    .select()
    .from(backgroundTasks)
    .where(and(eq(backgroundTasks.containerId, containerId), isOpen))
    .limit(1);
  return task;
}

/** Most lines of a task's log that are kept. */
const LOG_LINES = 50;

/**
 * Records the progress of a project's tasks, but not of its deletion: `percentage` of 100. `only` fences the write for an executor that may have
 * been superseded. Returns a query, so that it can be part of a batch.
 */
export function advanceTasks(
  db: Db,
  projectId: string,
  { percentage, message }: { percentage: number; message: string },
  only?: SQL,
) {
  return db
    .update(backgroundTasks)
    .set({
      status: "running",
      startedAt: sql`coalesce(${backgroundTasks.startedAt}, now())`,
      progress: { current: percentage, total: 100, message },
      logs: sql`(array_append(${backgroundTasks.logs}, ${message}::text))[greatest(1, cardinality(${backgroundTasks.logs}) + 2 - ${LOG_LINES}::int):]`,
    })
    .where(and(eq(backgroundTasks.projectId, projectId), isOfExecutor, only));
}

export interface TaskEnding {
  status: "completed" | "failed" | "cancelled";
  result?: Record<string, unknown>;
  error?: string;
}

const ended = ({ status, result, error }: TaskEnding) => ({
  status,
  result: result ?? null,
  error: error ?? null,
  completedAt: sql`now()`,
  startedAt: sql`coalesce(${backgroundTasks.startedAt}, now())`,
  ...(status === "completed" && { progress: { current: 100, total: 100, message: "Done" } }),
});

/** Selects tasks: all of a project but its deletion, or those of one container or one type. */
interface TasksOf {
  projectId: string;
  containerId?: string;
  type?: BackgroundTask["type"];
}

/**
 * Ends unfinished tasks. `only` fences the write, as in `advanceTasks`. Returns a query, so that it can be part of a
 * batch.
 */
export function endTasks(db: Db, { projectId, containerId, type }: TasksOf, ending: TaskEnding, only?: SQL) {
  return db
    .update(backgroundTasks)
    .set(ended(ending))
    .where(
      and(
        eq(backgroundTasks.projectId, projectId),
        containerId === undefined ? undefined : eq(backgroundTasks.containerId, containerId),
        type === undefined ? undefined : eq(backgroundTasks.type, type),
        isOfExecutor,
        only,
      ),
    );
}

/** Ends one task; no row if it had already ended. */
export function endTask(db: Db, taskId: string, ending: TaskEnding) {
  return db
    .update(backgroundTasks)
    .set(ended(ending))
    .where(and(eq(backgroundTasks.id, taskId), isOpen))
    .returning({ id: backgroundTasks.id });
}
