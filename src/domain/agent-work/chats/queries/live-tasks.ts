import { and, asc, desc, eq, gt, inArray, isNotNull, max, or, sql, type SQL } from "drizzle-orm";
import { chats, tasks } from "#src/db/schema/index.ts";
import { isOwn } from "#src/domain/access/permissions/index.ts";
import { isSharedWithTask } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A task, as sockets send it to its user. */
export type LiveTask = Awaited<ReturnType<typeof liveTasks>>[number];

/** What is read of a task; of its sender and its chat only where those of others are shown. */
const live = (withShared: boolean) => ({
  id: tasks.id,
  chatId: tasks.chatId,
  userId: tasks.userId,
  // By primary keys: a join would read whole tables.
  userName: ofOthers<string>(
    withShared,
    sql`SELECT sender.name FROM users AS sender WHERE sender.id = tasks.user_id`,
  ),
  /** Who began its chat, and whether the chat is shared with the people of the task's project. */
  ownerId: ofOthers<string>(withShared, sql`SELECT c.user_id FROM chats c WHERE c.id = tasks.chat_id`),
  isShared: ofOthers<boolean>(
    withShared,
    sql`SELECT ${isSharedWithTask(sql`c`)} FROM chats c WHERE c.id = tasks.chat_id`,
  ),
  status: tasks.status,
  message: tasks.message,
  createdAt: tasks.createdAt,
});

const ofOthers = <T>(withShared: boolean, read: SQL) =>
  withShared ? sql<T | null>`(${read})` : sql<T | null>`NULL`;

/** Whose tasks are shown: a person's own, or with them those of the project's shared chats. */
interface Shown {
  projectId: string;
  userId: string;
  withShared: boolean;
}

/** Whether a task is shown to a reader of its project. The owner of a chat sees what others did in it, also later. */
export function isShownTo(reader: { userId: string; shared?: boolean | undefined }, task: LiveTask): boolean {
  if (isOwn(reader, task)) return true;
  return reader.shared === true && (task.isShared === true || task.ownerId === reader.userId);
}

/**
 * Unfinished tasks of these people in a project, and their named tasks in any state, oldest first. With `withShared` also those
 * of others, in shared chats and in these people's chats.
 */
export function liveTasks(
  db: Db,
  projectId: string,
  {
    userIds,
    named,
    withShared,
  }: { userIds: readonly string[]; named: readonly string[]; withShared: boolean },
) {
  const ids = [...userIds];
  const theirs = inArray(tasks.userId, ids);
  return db
    .select(live(withShared))
    .from(tasks)
    .where(
      and(
        eq(tasks.projectId, projectId),
        withShared ? or(theirs, isChatShown(ids)) : theirs,
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

/** SQL condition: whether the row `tasks` is shown. */
function isShown({ userId, withShared }: Shown): SQL {
  const isOwnTask = sql`tasks.user_id = ${userId}::uuid`;
  return withShared ? sql`(${isOwnTask} OR ${isChatShown([userId])})` : isOwnTask;
}

/** SQL condition: whether the chat of the row `tasks` is shared, or one of these people's. */
const isChatShown = (userIds: readonly string[]): SQL => sql`EXISTS (
  SELECT FROM chats c WHERE c.id = tasks.chat_id AND (${isSharedWithTask(sql`c`)} OR c.user_id IN (
    SELECT value::uuid FROM jsonb_array_elements_text(${JSON.stringify(userIds)}::jsonb) AS value)))`;

/**
 * Shown tasks, in any state, that began in a project after all of the given ones, or all tasks when none is given: the
 * last `limit`, oldest first.
 */
export async function tasksBegunAfter(
  db: Db,
  shown: Shown,
  ids: readonly string[],
  limit: number,
): Promise<LiveTask[]> {
  const { projectId } = shown;
  const newest = db
    .select({ startedAt: max(tasks.startedAt) })
    .from(tasks)
    .where(and(eq(tasks.projectId, projectId), isShown(shown), inArray(tasks.id, [...ids])));
  const begun = await db
    .select(live(shown.withShared))
    .from(tasks)
    .where(
      and(
        isChatIn(projectId),
        eq(tasks.projectId, projectId),
        isShown(shown),
        isNotNull(tasks.startedAt),
        ids.length > 0 ? gt(tasks.startedAt, newest) : undefined,
      ),
    )
    .orderBy(desc(tasks.startedAt))
    .limit(limit);
  return begun.toReversed();
}

/** The newest shown task in a project; null when there is none. No row when the project has no chats. */
export function lastBegunTask(db: Db, shown: Shown) {
  const { projectId } = shown;
  const begun = db
    .select({ id: tasks.id, status: tasks.status })
    .from(tasks)
    .where(
      and(eq(tasks.projectId, projectId), isShown(shown), isNotNull(tasks.startedAt), isChatIn(projectId)),
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
