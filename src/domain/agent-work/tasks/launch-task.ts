import type { Queue } from "#src/platform/queue/queue.ts";
import { messageTo } from "#src/work/message.ts";
import { stepDue } from "./functions.ts";

export interface LaunchDeps {
  queue: Queue;
}

/**
 * Publishes the first step of a task that has its chat's turn. Idempotent: the task's log gives a step to one executor.
 * `occasion` names the reason of the publication, so that the queue does not deduplicate it against an earlier one.
 */
export async function launchTask(
  { queue }: LaunchDeps,
  { id, userId }: Launched,
  occasion: "stored" | `after-${string}` | Again,
): Promise<void> {
  const delivery = { deduplicationId: `step-${id}-1-${occasion}`, shareOf: userId };
  await queue.publish(messageTo(stepDue, { taskId: id, step: 1 }, delivery));
}

/** A task, and whose it is; undefined for one whose row is gone. */
interface Launched {
  id: string;
  userId: string | undefined;
}

type Again = `again-${number}`;

/** An occasion that changes every ten seconds. */
export function again(): Again {
  return `again-${Math.floor(Date.now() / 10_000)}`;
}
