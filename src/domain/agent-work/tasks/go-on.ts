import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageTo } from "#src/work/message.ts";
import type { FollowUpDeps } from "./follow-ups.ts";
import { stepDue } from "./functions.ts";
import type { SourceKind } from "./source.ts";

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
 * Says that a task is at work for longer than a moment, if that is registered for the kind of its source. A second executor of
 * the task may say so too: the queue takes both for one message, within about ten minutes.
 */
export async function publishWorking(
  { queue, followUps }: FollowUpDeps & { queue: Queue },
  { id, userId, kind }: { id: string; userId: string; kind: SourceKind },
): Promise<void> {
  const { working } = followUps[kind] ?? {};
  if (!working) return;
  const delivery = { deduplicationId: `${working.name}-${id}`, shareOf: userId };
  await queue.publish(messageTo(working, { taskId: id }, delivery));
}

/** Has the questions of a task asked, if that is registered for the kind of its source. Idempotent. */
export async function publishQuestions(
  { queue, followUps }: FollowUpDeps & { queue: Queue },
  { id, userId, kind }: { id: string; userId: string; kind: SourceKind },
): Promise<void> {
  const { asking } = followUps[kind] ?? {};
  if (asking) await queue.publish(messageTo(asking, { taskId: id }, { shareOf: userId, atOnce: true }));
}
