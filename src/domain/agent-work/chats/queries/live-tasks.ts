import { and, asc, desc, eq, gt, inArray, isNotNull, max, or, sql } from "drizzle-orm";
import { chats, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A task, as sockets send it to its user. */
export type LiveTask = Awaited<ReturnType<typeof liveTasks>>[number];

const LIVE = {
  id: tasks.id,
  chatId: tasks.chatId,
  userId: tasks.userId,
  status: tasks.status,
  message: tasks.message,
  createdAt: tasks.createdAt,
};

/** Unfinished tasks of these people in a project, and their named tasks in any state, oldest first. */
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
 * Whether the chat of the row `tasks` is now in this project. Looked up row by row, so that the newest task ends the
 * search.
 */
const isChatIn = (projectId: string) =>
  sql`(SELECT c.project_id FROM chats c WHERE c.id = tasks.chat_id) = ${projectId}::uuid`;

/**
 * A person's tasks, in any state, that began in a project after all of the given ones, or all tasks when none is given: the
 * last `limit`, oldest first.
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
    .where(
      and(
        isChatIn(projectId),
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

/** A person's newest task in a project; null when there is none. No row when the project has no chats. */
export function lastBegunTask(db: Db, { projectId, userId }: { projectId: string; userId: string }) {
  const begun = db
    .select({ id: tasks.id, status: tasks.status })
    .from(tasks)
    .where(
      and(
        eq(tasks.projectId, projectId),
        eq(tasks.userId, userId),
        isNotNull(tasks.startedAt),
        isChatIn(projectId),
      ),
    )
    .orderBy(desc(tasks.startedAt))
    .limit(1)
    .as("begun");
  return db
    .select({ task: { id: begun.id, status: begun.status } })
    .from(chats)
    .leftJoin(begun, sql`true`)
    .where(eq(chats.projectId, projectId))
    .limit(1);
}
