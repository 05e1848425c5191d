import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import { chats, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { nextTask } from "./chat-order.ts";
import { sourceIn } from "./source.ts";

/**
 * Sets a chat's title, unless a person has set one. A title that is not final (not from a model) is only set on a chat
 * without one, and a final one replaces it.
 */
export async function titleChat(
  db: Db,
  chatId: string,
  { title, isFinal }: { title: string; isFinal: boolean },
): Promise<void> {
  await db
    .update(chats)
    .set({ title, isTitled: isFinal })
    .where(and(eq(chats.id, chatId), eq(chats.isTitled, false), isFinal ? undefined : isNull(chats.title)));
}

/**
 * SQL value for the row `tasks` or one like it: the title of the task's chat, if this task reports it. It does if it asked
 * a model for the title, or if it was the first task and the title is still the provisional line.
 */
export const titleToTell = (task: SQL) => sql<string | null>`(
  SELECT c.title FROM chats c WHERE c.id = ${task}.chat_id AND CASE WHEN c.is_titled
    THEN EXISTS (SELECT 1 FROM usage_logs u WHERE u.task_id = ${task}.id AND u.iteration = 1 AND u.purpose = 'title')
    ELSE ${task}.origin <> 'api'
      AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.chat_id = c.id AND t.seq < ${task}.seq) END)`;

/** A task with the kind of its source, the title that it reports at its end, and the next task of its chat. */
export function taskWithTitle(db: Db, taskId: string) {
  return db
    .select({ task: tasks, kind: sourceIn(sql`tasks`).kind, title: titleToTell(sql`tasks`), next: nextTask })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .where(eq(tasks.id, taskId));
}
