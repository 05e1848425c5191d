import { and, asc, count, desc, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import { callbackAttempts, projects, tasks, taskSteps } from "#src/db/schema/index.ts";
import { roleInProject } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { TaskStatus } from "../task.ts";

export function taskById(db: Db, taskId: string) {
  return db.select().from(tasks).where(eq(tasks.id, taskId));
}

/** A task, its project, and what the user who started it is in that project by now (null for nothing). */
export function taskWithRole(db: Db, taskId: string) {
  return db
    .select({
      task: tasks,
      project: { id: projects.id, teamId: projects.teamId },
      role: roleInProject({ userId: sql`tasks.user_id`, isSuperuser: false }),
    })
    .from(tasks)
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(tasks.id, taskId));
}

export function attemptsOfTask(db: Db, taskId: string) {
  return db
    .select()
    .from(callbackAttempts)
    .where(eq(callbackAttempts.taskId, taskId))
    .orderBy(asc(callbackAttempts.attempt));
}

export interface TaskFilter {
  userId: string;
  /** Only tasks of this team's projects. */
  teamId: string;
  /** Projects a key is bound to; null for all. */
  projectIds: readonly string[] | null;
  statuses: readonly TaskStatus[] | null;
  projectId: string | null;
  since: Date | null;
}

/** A page of tasks, newest first, and how many there are in all. */
export async function pageOfTasks(db: Db, filter: TaskFilter, page: { limit: number; offset: number }) {
  const { userId, teamId } = filter;
  const reachable = db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.teamId, teamId), isNotNull(roleInProject({ userId, isSuperuser: false }))));
  const where = and(
    eq(tasks.userId, userId),
    inArray(tasks.projectId, reachable),
    filter.projectIds ? inArray(tasks.projectId, [...filter.projectIds]) : undefined,
    filter.statuses ? inArray(tasks.status, [...filter.statuses]) : undefined,
    filter.projectId ? eq(tasks.projectId, filter.projectId) : undefined,
    filter.since ? gt(tasks.createdAt, filter.since) : undefined,
  );
  const [items, [total]] = await db.batch([
    db.select().from(tasks).where(where).orderBy(desc(tasks.id)).limit(page.limit).offset(page.offset),
    db.select({ total: count() }).from(tasks).where(where),
  ]);
  return { items, total: total?.total ?? 0 };
}

/** A turn as it is shown, without what is kept of it for the model. */
const shownStep = sql<Record<string, unknown>>`${taskSteps.stepData} - 'kept'`;

export async function pageOfSteps(db: Db, taskId: string, page: { limit: number; offset: number }) {
  const [items, [total]] = await db.batch([
    db
      .select({
        id: taskSteps.id,
        stepIndex: taskSteps.stepIndex,
        stepData: shownStep,
        createdAt: taskSteps.createdAt,
      })
      .from(taskSteps)
      .where(eq(taskSteps.taskId, taskId))
      .orderBy(asc(taskSteps.stepIndex))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(taskSteps).where(eq(taskSteps.taskId, taskId)),
  ]);
  return { items, total: total?.total ?? 0 };
}
