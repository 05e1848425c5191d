import type { Queue } from "#src/platform/queue/queue.ts";

export interface LaunchDeps {
  queue: Queue;
}

/**
 * Publishes the first step of a task that has its chat's turn. Idempotent: the task's log gives a step to one executor.
 * `occasion` names the reason of the publication, so that the queue does not deduplicate it against an earlier one.
 */
export async function launchTask(
  { queue }: LaunchDeps,
  taskId: string,
  occasion: "stored" | `after-${string}` | Again,
): Promise<void> {
  await queue.publish({
    function: "agent-step",
    payload: { taskId, step: 1 },
    deduplicationId: `step-${taskId}-1-${occasion}`,
  });
}

type Again = `again-${number}`;

/** An occasion that changes every ten seconds. */
export function again(): Again {
  return `again-${Math.floor(Date.now() / 10_000)}`;
}
