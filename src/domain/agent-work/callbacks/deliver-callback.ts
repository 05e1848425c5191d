import { callbackDue, describeTask } from "#src/domain/agent-work/tasks/index.ts";
import { defineJob } from "#src/work/job.ts";
import { attemptMade, callbackFailed, callbackMade, callbackToDeliver } from "./queries.ts";
import { post, signedHeaders, type SignDeps } from "./signed-post.ts";

/** The first repetition comes within 30 s, the last more than an hour after the first attempt. */
const PAUSES = [10, 30, 60, 120, 300, 600, 1200, 1800] as const;

/**
 * Delivers a task's final status to its `webhook_url`, signed by the Standard Webhooks scheme. Delivery is at least once,
 * because an attempt may be sent but not recorded. All attempts carry the same `webhook-id`, so that a receiver can
 * recognise a repetition. A callback that is given up counts as failed, which the task's status shows.
 */
export const deliverCallback = defineJob(callbackDue, {
  pauses: PAUSES,
  read: (db, taskId) => callbackToDeliver(db, taskId),
  run: async (deps: SignDeps, { read: [found] }) => {
    if (!found?.task.webhookUrl || found.task.callbackStatus === "delivered") return { kind: "done" };
    const { task } = found;
    const body = JSON.stringify(describeTask(task));
    const headers = await signedHeaders(deps, `task_${task.id}`, body, found);
    const made = await post(deps.safeFetch, found.task.webhookUrl, headers, body);
    const attempt = attemptMade(task.id, made);
    if (made.delivered) return { kind: "done", writes: [attempt, callbackMade(task.id)] };
    return { kind: "failed", error: made.error ?? "The callback was not delivered", writes: [attempt] };
  },
  onGivingUp: (taskId) => [callbackFailed(taskId)],
});
