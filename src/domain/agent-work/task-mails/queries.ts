import { eq, sql, type SQL } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { chats, tasks, users, type taskMails } from "#src/db/schema/index.ts";
import { getsMails } from "#src/domain/operations/mail/index.ts";
import type { Db } from "#src/platform/db/client.ts";

type TaskMail = typeof taskMails.$inferSelect;
export type TaskMailEvent = TaskMail["event"];

/** Mails about tasks that a person gets in an hour. */
const MAILS_PER_HOUR = 10;

/** A task that took less is watched by who began it. */
const LONG = sql.raw("interval '1 minute'");

/** SQL condition: whether a task's person gets mails, and the task began long before `until`. */
export function isMailed(task: { userId: SQL; startedAt: SQL }, until: SQL): SQL {
  return sql`${until} - ${task.startedAt} > ${LONG}
    AND EXISTS (SELECT FROM users AS person WHERE person.id = ${task.userId} AND ${getsMails(sql`person`)})`;
}

/** SQL condition on the task `fenced` that has just ended: whether its end is mailed. Who stopped a task knows of its end. */
export const isEndMailed: SQL = sql`fenced.status <> 'cancelled'
  AND ${isMailed({ userId: sql`fenced.user_id`, startedAt: sql`fenced.started_at` }, sql`fenced.completed_at`)}`;

/** A task with what a mail about it says, and whether its person gets one. */
export function taskToMail(db: Db, taskId: string) {
  return db
    .select({
      id: tasks.id,
      status: tasks.status,
      projectId: tasks.projectId,
      chatId: tasks.chatId,
      message: tasks.message,
      title: chats.title,
      userId: users.id,
      email: users.email,
      isWanted: getsMails(sql`users`),
      isAsking: sql<boolean>`EXISTS (SELECT FROM approvals a
        WHERE a.task_id = ${tasks.id} AND a.response IS NULL AND a.expires_at > now())`,
    })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .innerJoin(users, eq(users.id, tasks.userId))
    .where(eq(tasks.id, taskId));
}

/**
 * Claims the mail about an event of a task, and returns whether it is to be sent: not where it was claimed before, nor
 * above the person's limit. A claim since a time (milliseconds since 1970) is the caller's own. Claims of one person are
 * decided one after the other.
 */
export async function claimMail(
  db: Db,
  {
    taskId,
    event,
    userId,
    since,
  }: { taskId: string; event: TaskMailEvent; userId: string; since: number | null },
): Promise<boolean> {
  const [, claimed] = await db.batch([
    lockNames(db, [`task-mails-of:${userId}`]),
    db.execute(sql`
      INSERT INTO task_mails (task_id, event, user_id)
      SELECT ${taskId}::uuid, ${event}::text, ${userId}::uuid
      WHERE (SELECT count(*) FROM task_mails
        WHERE user_id = ${userId}::uuid AND created_at > now() - interval '1 hour'
          AND (task_id, event) <> (${taskId}::uuid, ${event}::text)) < ${MAILS_PER_HOUR}::int
      ON CONFLICT (task_id, event) DO UPDATE SET event = excluded.event
        WHERE task_mails.created_at >= to_timestamp(${since}::float / 1000)
      RETURNING event`),
  ]);
  return claimed.rows.length > 0;
}
