import { sql, type SQL } from "drizzle-orm";
import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

const payload = z.object({ taskId: z.uuid() });

/** What came of a task may be mailed to its person. Its key is the task's id. */
export const endDue = declareJob({ name: "mail-task-end", payload });

/** A task asks its person, which may be mailed. Its key is the approval's id. */
export const questionDue = declareJob({ name: "mail-task-question", payload });

/** A task that took less is watched by who began it. */
const LONG = sql.raw("interval '1 minute'");

/** SQL condition: whether a task's person wants mails, and the task began long before `until`. */
export function isMailed(task: { userId: SQL; startedAt: SQL }, until: SQL): SQL {
  return sql`${until} - ${task.startedAt} > ${LONG}
    AND EXISTS (SELECT FROM users AS person WHERE person.id = ${task.userId} AND person.task_mail)`;
}

/** SQL condition on the task `fenced` that has just ended: whether its end is mailed. Who stopped a task knows of its end. */
export const isEndMailed: SQL = sql`fenced.status <> 'cancelled'
  AND ${isMailed({ userId: sql`fenced.user_id`, startedAt: sql`fenced.started_at` }, sql`fenced.completed_at`)}`;

/** Origins of tasks that a person began. A program's callback tells of its tasks, and a platform's chat has the reply. */
export const ORIGINS = ["browser", "standalone", "schedule"] as const;
