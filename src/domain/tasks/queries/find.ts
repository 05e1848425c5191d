import { and, asc, count, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { callbackAttempts, projects, tasks, taskSteps } from "#src/db/schema/index.ts";
import { roleInProject } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { TaskStatus } from "../task.ts";

/** A task, its project, and what the user who started it is in that project by now (null for nothing). */
export const taskWithRole = statement((db, { taskId }: { taskId: Slot<string> }) =>
  db
    .select({
      task: tasks,
      project: { id: projects.id, teamId: projects.teamId },
      role: roleInProject({ userId: sql`tasks.user_id`, isSuperuser: false }),
    })
    .from(tasks)
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .where(eq(tasks.id, taskId)),
);

export const attemptsOfTask = statement((db, { taskId }: { taskId: Slot<string> }) =>
  db
    .select()
    .from(callbackAttempts)
    .where(eq(callbackAttempts.taskId, taskId))
    .orderBy(asc(callbackAttempts.attempt)),
);

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

/**
 * A page of tasks, newest first, and how many there are in all. Both are found in the index `tasks_listed` alone, and the role
 * is asked once for each project that the person has tasks in: not for each task, nor for each project of the team.
 */
export async function pageOfTasks(db: Db, filter: TaskFilter, page: { limit: number; offset: number }) {
  const { userId, teamId } = filter;
  const where = and(
    eq(tasks.userId, userId),
    filter.projectIds ? inArray(tasks.projectId, [...filter.projectIds]) : undefined,
    filter.statuses ? inArray(tasks.status, [...filter.statuses]) : undefined,
    filter.projectId ? eq(tasks.projectId, filter.projectId) : undefined,
    filter.since ? gt(tasks.createdAt, filter.since) : undefined,
  );
  const counted = db
    .select({ projectId: tasks.projectId, count: count().as("count") })
    .from(tasks)
    .where(where)
    .groupBy(tasks.projectId)
    .as("counted");
  // Used twice, so it is made once. Without OFFSET the projects would be joined, with the role in each of the team's.
  const reachable = db.$with("reachable").as(
    db
      .select({ projectId: counted.projectId, count: counted.count })
      .from(counted)
      .where(
        sql`EXISTS (
          SELECT FROM projects WHERE projects.id = counted.project_id AND projects.team_id = ${teamId}::uuid
            AND ${roleInProject({ userId, isSuperuser: false })} IS NOT NULL OFFSET 0)`,
      ),
  );
  const total = db
    .select({ total: sql`coalesce(sum(${reachable.count}), 0)`.mapWith(Number).as("total") })
    .from(reachable)
    .as("total");
  const projectIds = db.select({ id: reachable.projectId }).from(reachable);
  const chosen = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(where, sql`${tasks.projectId} = ANY (ARRAY(${projectIds}))`))
    .orderBy(desc(tasks.id))
    .limit(page.limit)
    .offset(page.offset);
  const rows = await db
    .with(reachable)
    .select({ total: total.total, task: tasks })
    .from(total)
    .leftJoin(tasks, sql`${tasks.id} = ANY (ARRAY(${chosen}))`)
    .orderBy(desc(tasks.id));
  return { items: rows.flatMap(({ task }) => task ?? []), total: rows[0]?.total ?? 0 };
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
