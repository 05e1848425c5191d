import { and, eq, sql } from "drizzle-orm";
import { chats, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * Whether a task that is not over has its chat's turn, of the rows `tasks` and `chats`: it is the first of the unfinished ones.
 * One that is not among them was stored by a version that did not note them, and waits for nobody.
 */
export const hasTurn = sql<boolean>`(chats.unfinished_tasks[1] = tasks.id
  OR tasks.id <> ALL (chats.unfinished_tasks))`;

/**
 * The task that has the turn of a chat and has not begun, of the row `chats`; null where there is none. As a value of SQL.
 */
export const nextTask = sql<string | null>`(
  SELECT next.id FROM tasks next WHERE next.id = chats.unfinished_tasks[1] AND next.status = 'queued')`;

/** A task, with whether it has its chat's turn and which other one of the chat is to be begun. */
export function taskWithTurn(db: Db, taskId: string) {
  return db
    .select({ task: tasks, hasTurn, next: nextTask })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .where(eq(tasks.id, taskId));
}

/**
 * Take tasks that are over out of the order of chats in which one of them stands first. The statement that ends a task does this; a
 * task that was ended by a version that did not note unfinished ones would hold its chat's turn for ever. Only what is known to be
 * over goes: a task that this statement does not see yet may have been stored this moment.
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
