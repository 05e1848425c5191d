import { Webhook } from "standardwebhooks";
import { describeTask } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { callbackToDeliver, recordAttempt } from "./queries.ts";

/**
 * Seconds to wait after each failed attempt. The first retry comes within 30 s, the last more than an hour after the
 * first attempt. Then the callback counts as failed, which the task's status shows.
 */
const PAUSES = [10, 30, 60, 120, 300, 600, 1200, 1800] as const;

const TIMEOUT_MS = 10_000;
/** Only the status of the receiver's response counts. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface CallbackDeps {
  db: Db;
  queue: Queue;
  safeFetch: SafeFetch;
  secrets: Secrets;
}

/**
 * Makes one attempt to deliver a task's final status to its `webhook_url`, signed by the Standard Webhooks scheme, and
 * publishes the next attempt after a failure. Delivery is at least once, because an attempt may be sent but not
 * recorded. All attempts carry the same `webhook-id`, so that a receiver can recognise a repetition.
 */
export async function deliverCallback(
  deps: CallbackDeps,
  { taskId, attempt }: { taskId: string; attempt: number },
): Promise<void> {
  const found = await callbackToDeliver(deps.db, taskId, attempt);
  if (!found?.task.webhookUrl || found.task.callbackStatus !== "pending") return;
  const delivered = found.delivered ?? (await attemptDelivery(deps, { ...found, attempt }));
  const pause = PAUSES[attempt - 1];
  if (delivered || pause === undefined) return;
  await deps.queue.publish({
    function: "deliver-callback",
    payload: { taskId, attempt: attempt + 1 },
    delaySeconds: pause,
    deduplicationId: `callback-${taskId}-${attempt + 1}`,
  });
}

type Found = NonNullable<Awaited<ReturnType<typeof callbackToDeliver>>>;

async function attemptDelivery(
  { db, safeFetch, secrets }: CallbackDeps,
  { task, secretEncrypted, attempt }: Found & { attempt: number },
): Promise<boolean> {
  const body = JSON.stringify(describeTask(task));
  const headers = await signedHeaders(
    `task_${task.id}`,
    body,
    secretEncrypted === null ? null : await secrets.decrypt(secretEncrypted),
  );
  const outcome = await send(safeFetch, task.webhookUrl ?? "", headers, body);
  const last = PAUSES[attempt - 1] === undefined;
  await recordAttempt(db, {
    taskId: task.id,
    attempt,
    ...outcome,
    callbackStatus: outcome.delivered ? "delivered" : last ? "failed" : "pending",
  });
  return outcome.delivered;
}

/** Standard Webhooks: `webhook-id`, `webhook-timestamp` (seconds), `webhook-signature` (v1, HMAC-SHA256). */
async function signedHeaders(
  id: string,
  body: string,
  secret: string | null,
): Promise<Record<string, string>> {
  const now = new Date();
  const signature = secret === null ? undefined : new Webhook(secret).sign(id, now, body);
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    ...(signature !== undefined && { "webhook-signature": signature }),
  };
}

async function send(safeFetch: SafeFetch, url: string, headers: Record<string, string>, body: string) {
  try {
    const { status } = await safeFetch(url, {
      method: "POST",
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
    });
    const delivered = status >= 200 && status < 300;
    return { delivered, statusCode: status, error: delivered ? null : `The receiver returned ${status}` };
  } catch (error) {
    const known = error instanceof AppError ? error.message : "The receiver could not be reached";
    return { delivered: false, statusCode: null, error: known };
  }
}
