import { eq, sql } from "drizzle-orm";
import { tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * What a task waits for: the task of its chat that has the turn, which may be the task itself, and that task's pending
 * approval, if any.
 */
export interface Waiting {
  taskId: string;
  approvalId: string | null;
  tool: string | null;
}

/**
 * SQL value: what the task of the row `tasks` waits for; null when it is at work or has ended. Uses primary keys only, and
 * no lookup for finished tasks.
 */
export const waitingFor = sql<Waiting | null>`CASE WHEN tasks.status IN ('queued', 'running') THEN (
  SELECT json_build_object('taskId', c.unfinished_tasks[1], 'approvalId', asked.id, 'tool', asked.tool)
  FROM chats c LEFT JOIN LATERAL (
    SELECT a.id, a.tool FROM approvals a
    WHERE a.task_id = c.unfinished_tasks[1] AND a.response IS NULL AND a.expires_at > now() ORDER BY a.id LIMIT 1
  ) AS asked ON true
  WHERE c.id = tasks.chat_id AND tasks.id = ANY (c.unfinished_tasks)
    AND (c.unfinished_tasks[1] <> tasks.id OR asked.id IS NOT NULL)) END`;

/** What a task waits for now. */
export async function findWaiting(db: Db, taskId: string): Promise<Waiting | null> {
  const [row] = await db.select({ waiting: waitingFor }).from(tasks).where(eq(tasks.id, taskId));
  return row?.waiting ?? null;
}
