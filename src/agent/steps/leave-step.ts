import { SupersededError } from "./log-writer.ts";
import type { Step } from "./step.ts";

/**
 * Called when the task's row belongs to a newer executor, is over or is gone: throws why. A chat's deletion tells the log to
 * stop before the row goes, so the log has the reason.
 */
export async function leaveStep({ deps, progress, writer, signal }: Step): Promise<never> {
  const { taskId, generation } = progress;
  writer.heed(await deps.taskLogs.ping(taskId, generation));
  signal.throwIfAborted();
  throw new SupersededError("The task's row belongs to a newer executor, or is over");
}
