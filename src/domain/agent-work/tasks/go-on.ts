import { isPlatform } from "#src/channels/channel.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageTo } from "#src/work/message.ts";
import { questionsDue, stepDue } from "./functions.ts";

/** Ends an executor's step; the next step continues from the stored turns. Does nothing for a superseded executor. */
export async function publishNextStep(
  deps: { taskLogs: TaskLogs; queue: Queue },
  { taskId, generation, userId }: { taskId: string; generation: number; userId: string },
): Promise<void> {
  const step = await deps.taskLogs.endStep(taskId, generation);
  if (step === undefined) return;
  const delivery = { deduplicationId: `step-${taskId}-${step}`, shareOf: userId };
  await deps.queue.publish(messageTo(stepDue, { taskId, step }, delivery));
}

/** Resumes a task that waits for an approval. Does nothing for a task that does not wait. Idempotent. */
export async function goOn(
  { taskLogs }: { taskLogs: Pick<TaskLogs, "goOn"> },
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  await taskLogs.goOn(id, userId);
}

/**
 * Has the questions of a platform's task sent to where its message came from, and those of a schedule's run to its owner. Does
 * nothing for other tasks. Idempotent.
 */
export async function publishQuestions(
  { queue }: { queue: Queue },
  { id, userId, origin }: { id: string; userId: string; origin: string },
): Promise<void> {
  if (!isPlatform(origin) && origin !== "schedule") return;
  await queue.publish(messageTo(questionsDue, { taskId: id }, { shareOf: userId }));
}
