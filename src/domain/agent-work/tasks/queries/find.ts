import { and, asc, count, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { callbackAttempts, projects, tasks, taskTurns } from "#src/db/schema/index.ts";
import { roleInProject, type Person } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import type { TaskStatus } from "../task.ts";
import { shownTurn, type Results } from "./shown-turn.ts";
import { waitingFor } from "./waiting.ts";

/**
 * A task, its project, the current role in that project of the user who started it (null for none), and what the task waits
 * for.
 */
export const taskWithRole = statement((db, { taskId }: { taskId: Slot<string> }) =>
  db
    .select({
      task: tasks,
      project: { id: projects.id, teamId: projects.teamId },
      role: roleInProject({ userId: sql`tasks.user_id`, isSuperuser: false }),
      waiting: waitingFor,
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
  viewer: Person;
  /** Projects a key is bound to; null for all. */
  projectIds: readonly string[] | null;
  statuses: readonly TaskStatus[] | null;
  projectId: string | null;
  since: Date | null;
  /** Where a task's message came from. */
  origin?: string | undefined;
  chatId?: string | undefined;
}

/**
 * A page of tasks, newest first, with what each waits for, and the total number. Which tasks are on the page and the number
 * come from the index `tasks_listed` alone; of one chat from `tasks_chat_seq`. Only a filter by origin reads the person's
 * tasks themselves. The role is looked up once for each project in which the person has tasks, not for each task or for each
 * project of the team. What tasks wait for is looked up for the unfinished ones of the page alone.
 */
export async function pageOfTasks(db: Db, filter: TaskFilter, page: { limit: number; offset: number }) {
  const { viewer } = filter;
  const where = and(
    eq(tasks.userId, viewer.userId),
    filter.projectIds ? inArray(tasks.projectId, [...filter.projectIds]) : undefined,
    filter.statuses ? inArray(tasks.status, [...filter.statuses]) : undefined,
    filter.projectId ? eq(tasks.projectId, filter.projectId) : undefined,
    filter.since ? gt(tasks.createdAt, filter.since) : undefined,
    filter.origin === undefined ? undefined : eq(tasks.origin, filter.origin),
    filter.chatId === undefined ? undefined : eq(tasks.chatId, filter.chatId),
  );
  const counted = db
    .select({ projectId: tasks.projectId, count: count().as("count") })
    .from(tasks)
    .where(where)
    .groupBy(tasks.projectId)
    .as("counted");
  // Materialised because it is used twice. Without OFFSET the planner would join the projects and look up the role in
  // each project of the team.
  const reachable = db.$with("reachable").as(
    db
      .select({ projectId: counted.projectId, count: counted.count })
      .from(counted)
      .where(
        sql`EXISTS (
          SELECT FROM projects WHERE projects.id = counted.project_id
            AND ${roleInProject({ ...viewer, isSuperuser: false })} IS NOT NULL OFFSET 0)`,
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
    .select({ total: total.total, task: tasks, waiting: waitingFor })
    .from(total)
    .leftJoin(tasks, sql`${tasks.id} = ANY (ARRAY(${chosen}))`)
    .orderBy(desc(tasks.id));
  return {
    items: rows.flatMap(({ task, waiting }) => (task ? [{ ...task, waiting }] : [])),
    total: rows[0]?.total ?? 0,
  };
}

const turnFields = (results?: Results) => ({
  id: taskTurns.id,
  turnIndex: taskTurns.turnIndex,
  turnData: shownTurn(results),
  createdAt: taskTurns.createdAt,
});

export async function pageOfTurns(
  db: Db,
  taskId: string,
  page: { limit: number; offset: number; results?: Results | undefined },
) {
  const [items, [total]] = await db.batch([
    db
      .select(turnFields(page.results))
      .from(taskTurns)
      .where(eq(taskTurns.taskId, taskId))
      .orderBy(asc(taskTurns.turnIndex))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(taskTurns).where(eq(taskTurns.taskId, taskId)),
  ]);
  return { items, total: total?.total ?? 0 };
}

/** One turn of a task, by its number. */
export async function turnOf(db: Db, taskId: string, turnIndex: number) {
  const [turn] = await db
    .select(turnFields())
    .from(taskTurns)
    .where(and(eq(taskTurns.taskId, taskId), eq(taskTurns.turnIndex, turnIndex)));
  return turn;
}
