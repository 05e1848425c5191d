import { and, eq, isNotNull, lt, max, sql } from "drizzle-orm";
import { callbackAttempts, externalApiKeys, tasks } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** The secrets with which callbacks are signed: the key's own, and the previous one for a while after a rotation. */
const secrets = {
  current: externalApiKeys.webhookSecretEncrypted,
  previous: sql<string | null>`CASE WHEN ${externalApiKeys.previousWebhookSecretUntil} > now()
    THEN ${externalApiKeys.previousWebhookSecretEncrypted} END`,
};

/** The task, the secrets that sign its callback, and the outcome of the attempt with this number, if it was made. */
export async function callbackToDeliver(db: Db, taskId: string, attempt: number) {
  const [row] = await db
    .select({
      task: tasks,
      ...secrets,
      delivered: callbackAttempts.delivered,
    })
    .from(tasks)
    .leftJoin(externalApiKeys, eq(externalApiKeys.id, tasks.apiKeyId))
    .leftJoin(
      callbackAttempts,
      and(eq(callbackAttempts.taskId, tasks.id), eq(callbackAttempts.attempt, attempt)),
    )
    .where(eq(tasks.id, taskId));
  return row;
}

/** Where a task's callback goes, and the secrets that sign it. */
export async function callbackReceiver(db: Db, taskId: string) {
  const [row] = await db
    .select({ webhookUrl: tasks.webhookUrl, ...secrets })
    .from(tasks)
    .leftJoin(externalApiKeys, eq(externalApiKeys.id, tasks.apiKeyId))
    .where(eq(tasks.id, taskId));
  return row;
}

/** Records an attempt and its effect on the task's callback, in one statement. Idempotent. */
export async function recordAttempt(
  db: Db,
  attempt: {
    taskId: string;
    attempt: number;
    delivered: boolean;
    statusCode: number | null;
    error: string | null;
    callbackStatus: "pending" | "delivered" | "failed";
  },
): Promise<void> {
  await db.execute(sql`
    WITH recorded AS (
      INSERT INTO callback_attempts (id, task_id, attempt, delivered, status_code, error)
      VALUES (${newId()}::uuid, ${attempt.taskId}::uuid, ${attempt.attempt}::int, ${attempt.delivered}::boolean,
        ${attempt.statusCode}::int, ${attempt.error}::text)
      ON CONFLICT DO NOTHING RETURNING task_id
    )
    UPDATE tasks SET callback_status = ${attempt.callbackStatus}::text
    FROM recorded WHERE tasks.id = recorded.task_id AND tasks.callback_status = 'pending'
  `);
}

/** Callbacks that have waited longer than any pause between attempts, with the number of the missing attempt. */
export function stuckCallbacks(db: Db, quietMinutes: number, limit: number) {
  const lastMade = max(callbackAttempts.createdAt);
  const quiet = sql`now() - ${quietMinutes}::int * interval '1 minute'`;
  return db
    .select({
      taskId: tasks.id,
      attempt: sql<number>`(coalesce(${max(callbackAttempts.attempt)}, 0) + 1)::int`,
    })
    .from(tasks)
    .leftJoin(callbackAttempts, eq(callbackAttempts.taskId, tasks.id))
    .where(
      and(eq(tasks.callbackStatus, "pending"), isNotNull(tasks.completedAt), lt(tasks.completedAt, quiet)),
    )
    .groupBy(tasks.id)
    .having(sql`coalesce(${lastMade}, ${tasks.completedAt}) < ${quiet}`)
    .limit(limit);
}
