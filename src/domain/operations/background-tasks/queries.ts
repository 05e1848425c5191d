import { and, desc, eq, inArray, sql, type SQL } from "drizzle-orm";
import { backgroundTasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type BackgroundTask = typeof backgroundTasks.$inferSelect;

/** States that a task leaves again. */
const OPEN = ["queued", "running"] as const;

const isOpen = inArray(backgroundTasks.status, [...OPEN]);

/** A task that begins, or has been done already. A query, so that it may join a batch. */
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

/** A person's tasks, newest first. */
export function backgroundTasksOf(db: Db, userId: string, only: { open: boolean; limit: number }) {
  return db
    .select()
    .from(backgroundTasks)
    .where(and(eq(backgroundTasks.userId, userId), only.open ? isOpen : undefined))
    .orderBy(desc(backgroundTasks.createdAt), desc(backgroundTasks.id))
    .limit(only.limit);
}

/** The start of a container that is under way. */
export async function openTaskOfContainer(db: Db, containerId: string): Promise<BackgroundTask | undefined> {
  const [task] = await db
    .select()
    .from(backgroundTasks)
    .where(and(eq(backgroundTasks.containerId, containerId), isOpen))
    .limit(1);
  return task;
}

/** Lines of a task's log that are kept. */
const LOG_LINES = 50;

/**
 * Say how far the tasks of a project are: `percentage` of 100. `only` bounds who may say so, for an executor that may have
 * been superseded. A query, so that it may join a batch.
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
    .where(and(eq(backgroundTasks.projectId, projectId), isOpen, only));
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

/** Which tasks: all of a project, or those of one container or one type. */
interface TasksOf {
  projectId: string;
  containerId?: string;
  type?: BackgroundTask["type"];
}

/** End open tasks. `only` bounds who may, as in `advanceTasks`. A query, so that it may join a batch. */
export function endTasks(db: Db, { projectId, containerId, type }: TasksOf, ending: TaskEnding, only?: SQL) {
  return db
    .update(backgroundTasks)
    .set(ended(ending))
    .where(
      and(
        eq(backgroundTasks.projectId, projectId),
        containerId === undefined ? undefined : eq(backgroundTasks.containerId, containerId),
        type === undefined ? undefined : eq(backgroundTasks.type, type),
        isOpen,
        only,
      ),
    );
}

/** End one task; no row where it was over. */
export function endTask(db: Db, taskId: string, ending: TaskEnding) {
  return db
    .update(backgroundTasks)
    .set(ended(ending))
    .where(and(eq(backgroundTasks.id, taskId), isOpen))
    .returning({ id: backgroundTasks.id });
}
