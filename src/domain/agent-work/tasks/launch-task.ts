import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageTo } from "#src/work/message.ts";
import { stepDue } from "./functions.ts";

export interface LaunchDeps {
  queue: Queue;
  taskLogs: Pick<TaskLogs, "launch">;
}

/**
 * Has a task that has its chat's turn begin: its log takes the first step and has it executed at once. The queue is there
 * for when the log does not answer. Idempotent: the log gives a step to one executor. `occasion` names the reason, so that
 * the queue does not deduplicate the message against an earlier one. See docs/decisions/0045-the-first-step-at-once.md.
 */
export async function launchTask(
  { queue, taskLogs }: LaunchDeps,
  { id, userId }: Launched,
  occasion: "stored" | `after-${string}` | Again,
): Promise<void> {
  try {
    await taskLogs.launch(id, userId);
  } catch {
    const delivery = { deduplicationId: `step-${id}-1-${occasion}`, shareOf: userId };
    await queue.publish(messageTo(stepDue, { taskId: id, step: 1 }, delivery));
  }
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
