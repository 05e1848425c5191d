import { goOn, type RefusedQuestion } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { declineQuestionsBefore } from "./queries.ts";

/**
 * Denies the pending approvals of a person's tasks in a chat because the person sent a message instead of an answer. Those of
 * another person's tasks in a shared chat stay: the message waits. The model sees the message
 * as the reason, and the task continues to its end. Returns one of the approvals, if there were any.
 */
export async function declineByMessage(
  deps: { db: Db; taskLogs: TaskLogs; queue: Queue },
  message: { taskId: string; userId: string },
): Promise<RefusedQuestion | undefined> {
  const refused = await declineQuestionsBefore(deps.db, message);
  const { userId } = message;
  for (const id of new Set(refused.map(({ taskId }) => taskId))) await goOn(deps, { id, userId });
  return refused[0];
}
