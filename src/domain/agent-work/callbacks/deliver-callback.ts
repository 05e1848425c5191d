import { describeTask } from "#src/domain/agent-work/tasks/index.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { callbackToDeliver, recordAttempt } from "./queries.ts";
import { post, signedHeaders, type SignDeps } from "./signed-post.ts";

/**
 * Seconds to wait after each failed attempt. The first retry comes within 30 s, the last more than an hour after the
 * first attempt. Then the callback counts as failed, which the task's status shows.
 */
const PAUSES = [10, 30, 60, 120, 300, 600, 1200, 1800] as const;

export interface CallbackDeps extends SignDeps {
  queue: Queue;
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
  deps: CallbackDeps,
  { task, current, previous, attempt }: Found & { attempt: number },
): Promise<boolean> {
  const body = JSON.stringify(describeTask(task));
  const headers = await signedHeaders(deps, `task_${task.id}`, body, { current, previous });
  const outcome = await post(deps.safeFetch, task.webhookUrl ?? "", headers, body);
  const last = PAUSES[attempt - 1] === undefined;
  await recordAttempt(deps.db, {
    taskId: task.id,
    attempt,
    ...outcome,
    callbackStatus: outcome.delivered ? "delivered" : last ? "failed" : "pending",
  });
  return outcome.delivered;
}
