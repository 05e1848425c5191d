import { and, asc, desc, eq, gt, inArray, isNotNull, max, or, sql } from "drizzle-orm";
import { chats, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A task as whoever asked for it is shown it on sockets. */
export type LiveTask = Awaited<ReturnType<typeof liveTasks>>[number];

const LIVE = {
  id: tasks.id,
  chatId: tasks.chatId,
  userId: tasks.userId,
  status: tasks.status,
  message: tasks.message,
  createdAt: tasks.createdAt,
};

/** Tasks of these people that run in a project, and of their named tasks the others as well; what came first stands first. */
export function liveTasks(
  db: Db,
  projectId: string,
  { userIds, named }: { userIds: readonly string[]; named: readonly string[] },
) {
  return db
    .select(LIVE)
    .from(tasks)
    .where(
      and(
        eq(tasks.projectId, projectId),
        inArray(tasks.userId, [...userIds]),
        or(eq(tasks.status, "running"), named.length > 0 ? inArray(tasks.id, [...named]) : undefined),
      ),
    )
    .orderBy(asc(tasks.id));
}

/**
 * Somebody's tasks that were begun in a project after all of these, over or not, and all that ever were where none is named: the
 * last `limit`, what came first first.
 */
export async function tasksBegunAfter(
  db: Db,
  { projectId, userId }: { projectId: string; userId: string },
  ids: readonly string[],
  limit: number,
): Promise<LiveTask[]> {
  const newest = db
    .select({ startedAt: max(tasks.startedAt) })
    .from(tasks)
    .where(and(eq(tasks.projectId, projectId), eq(tasks.userId, userId), inArray(tasks.id, [...ids])));
  const begun = await db
    .select(LIVE)
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .where(
      and(
        eq(chats.projectId, projectId),
        eq(tasks.projectId, projectId),
        eq(tasks.userId, userId),
        isNotNull(tasks.startedAt),
        ids.length > 0 ? gt(tasks.startedAt, newest) : undefined,
      ),
    )
    .orderBy(desc(tasks.startedAt))
    .limit(limit);
  return begun.toReversed();
}

/** Somebody's task that was begun last in a project; none where none was. No row where the project has no chats. */
export function lastBegunTask(db: Db, { projectId, userId }: { projectId: string; userId: string }) {
  return db
    .select({ task: { id: tasks.id, status: tasks.status } })
    .from(chats)
    .leftJoin(
      tasks,
      and(
        eq(tasks.chatId, chats.id),
        eq(tasks.projectId, projectId),
        eq(tasks.userId, userId),
        isNotNull(tasks.startedAt),
      ),
    )
    .where(eq(chats.projectId, projectId))
    .orderBy(sql`${tasks.startedAt} DESC NULLS LAST`)
    .limit(1);
}
