import { eq, sql, type SQL } from "drizzle-orm";
import { chats, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { sourceIn } from "./source.ts";

/** Whether an unfinished task, the row `tasks`, has its chat's turn: it is the first of the unfinished ones. */
export const hasTurn = sql<boolean>`coalesce((
  SELECT turn.unfinished_tasks[1] = tasks.id FROM chats turn WHERE turn.id = tasks.chat_id), false)`;

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
 * The CTE `turns_given`: takes the unfinished tasks of deleted accounts, whose rows go with them, out of the order of other people's
 * chats. `deleted` names a CTE with the accounts' ids. What then has the turn begins with the next sweep.
 */
export function giveTurnsOf(deleted: SQL): SQL {
  return sql`turns_given AS (
    UPDATE chats SET unfinished_tasks = ARRAY(
      SELECT u.id FROM unnest(chats.unfinished_tasks) WITH ORDINALITY AS u (id, place)
      WHERE u.id <> ALL (gone.ids) ORDER BY u.place)
    FROM (
      SELECT t.chat_id, array_agg(t.id) AS ids FROM tasks t JOIN ${deleted} ON t.user_id = ${deleted}.id
      WHERE t.status IN ('queued', 'running') GROUP BY t.chat_id
    ) AS gone
    WHERE chats.id = gone.chat_id AND NOT EXISTS (SELECT 1 FROM ${deleted} WHERE ${deleted}.id = chats.user_id)
  )`;
}
