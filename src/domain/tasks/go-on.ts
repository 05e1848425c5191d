import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";

/** Let a task go on that waits for somebody. Nothing for one that does not; safe to repeat. */
export async function goOn(deps: { taskLogs: TaskLogs; queue: Queue }, taskId: string): Promise<void> {
  const step = await deps.taskLogs.unpark(taskId);
  if (step === undefined) return;
  await deps.queue.publish({
    function: "agent-step",
    payload: { taskId, step },
    deduplicationId: `step-${taskId}-${step}-goes-on`,
  });
}
