import { z } from "zod";
import type { Queue } from "#src/platform/queue/queue.ts";
import { declareFunction, messageTo } from "#src/work/message.ts";

/**
 * The tasks to end: all that a key started, or, for one person or one project, those whose users may no longer write in the
 * task's project.
 */
export const LostAccess = z.union([
  z.object({ keyId: z.uuid() }),
  z.object({ userId: z.uuid() }),
  z.object({ projectId: z.uuid() }),
]);
export type LostAccess = z.output<typeof LostAccess>;

/** Access was lost: what goes on without the right to it is to end. */
export const accessLost = declareFunction({ name: "stop-tasks", message: LostAccess });

/**
 * Has the queue stop tasks that have lost their access: those of keys that were revoked or whose owners lost access, and
 * those of people whose role in a team or project was removed or lowered. Idempotent. If a request dies before this call,
 * the sweep stops the tasks of keys, and the next turn of a task stops the tasks of people. Throws `unavailable`.
 */
export async function endTasksOf(
  queue: Pick<Queue, "publishBatch">,
  lost: readonly LostAccess[],
): Promise<void> {
  if (lost.length === 0) return;
  await queue.publishBatch(lost.map((each) => messageTo(accessLost, each)));
}

export function endTasksOfKeys(queue: Pick<Queue, "publishBatch">, keyIds: readonly string[]): Promise<void> {
  return endTasksOf(
    queue,
    keyIds.map((keyId) => ({ keyId })),
  );
}
