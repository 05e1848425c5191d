import { and, eq, sql } from "drizzle-orm";
import { chats, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { sourceIn } from "./source.ts";

/**
 * Whether an unfinished task has its chat's turn, for the rows `tasks` and `chats`: it is the first of the unfinished ones.
 * A task that is not among them was stored by a version that did not record them, and does not wait.
 */
export const hasTurn = sql<boolean>`(chats.unfinished_tasks[1] = tasks.id
  OR tasks.id <> ALL (chats.unfinished_tasks))`;

/** SQL value for the row `chats`: the task that has the chat's turn and has not begun; null if there is none. */
export const nextTask = sql<string | null>`(
  SELECT next.id FROM tasks next WHERE next.id = chats.unfinished_tasks[1] AND next.status = 'queued')`;

/** A task, the kind of its source, whether it has its chat's turn, and the chat's next task to begin. */
export function taskWithTurn(db: Db, taskId: string) {
  return db
    .select({ task: tasks, kind: sourceIn(sql`tasks`).kind, hasTurn, next: nextTask })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .where(eq(tasks.id, taskId));
}

/**
 * Removes finished tasks from the order of chats in which one of them stands first. The statement that ends a task does
 * this too. But a task ended by a version that did not record unfinished tasks would keep its chat's turn for ever. Only
 * tasks known to have ended are removed: a task that this statement does not see may have just been stored.
 */
export async function dropFinishedTasks(db: Db): Promise<void> {
  await db
    .update(chats)
    .set({
      unfinishedTasks: sql`ARRAY(SELECT u.id FROM unnest(chats.unfinished_tasks) WITH ORDINALITY AS u (id, place)
        WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.id = u.id AND ${over}) ORDER BY u.place)`,
    })
    .where(
      and(
        sql`${chats.unfinishedTasks} <> '{}'`,
        sql`EXISTS (SELECT 1 FROM tasks WHERE tasks.id = chats.unfinished_tasks[1] AND ${over})`,
      ),
    );
}

const over = sql`tasks.status NOT IN ('queued', 'running')`;
