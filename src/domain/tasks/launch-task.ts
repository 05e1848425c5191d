import type { Queue } from "#src/platform/queue/queue.ts";

export interface LaunchDeps {
  queue: Queue;
}

/**
 * Publish the first step of a task that has its chat's turn. Safe to repeat: the task's log gives a step to one executor. So that
 * the queue does not take a repetition for the first publication, `occasion` names what it is published for.
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

/** An occasion that is another one ten seconds later. */
export function again(): Again {
  return `again-${Math.floor(Date.now() / 10_000)}`;
}
