import { eq, sql, type SQL } from "drizzle-orm";
import { externalApiKeys, tasks } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** The secrets with which callbacks are signed: the key's own, and the previous one for a while after a rotation. */
const secrets = {
  current: externalApiKeys.webhookSecretEncrypted,
  previous: sql<string | null>`CASE WHEN ${externalApiKeys.previousWebhookSecretUntil} > now()
    THEN ${externalApiKeys.previousWebhookSecretEncrypted} END`,
};

/** The task, and the secrets that sign its callback. */
export function callbackToDeliver(db: Db, taskId: string) {
  return db
    .select({ task: tasks, ...secrets })
    .from(tasks)
    .leftJoin(externalApiKeys, eq(externalApiKeys.id, tasks.apiKeyId))
    .where(eq(tasks.id, taskId));
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

/** Records an attempt; a write of its job's outcome. */
export function attemptMade(
  taskId: string,
  { delivered, statusCode, error }: { delivered: boolean; statusCode: number | null; error: string | null },
): SQL {
  return sql`INSERT INTO callback_attempts (id, task_id, attempt, delivered, status_code, error)
    SELECT ${newId()}::uuid, tasks.id,
      coalesce((SELECT max(attempt) FROM callback_attempts WHERE task_id = tasks.id), 0) + 1,
      ${delivered}::boolean, ${statusCode}::int, ${error}::text
    FROM job, tasks WHERE tasks.id = ${taskId}::uuid`;
}

const callbackIs = (taskId: string, status: "delivered" | "failed") =>
  sql`UPDATE tasks SET callback_status = ${status}::text FROM job WHERE tasks.id = ${taskId}::uuid`;

/** Writes of an outcome: what a task's status says of its callback. */
export const callbackMade = (taskId: string): SQL => callbackIs(taskId, "delivered");
export const callbackFailed = (taskId: string): SQL => callbackIs(taskId, "failed");
