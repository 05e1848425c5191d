import { AppError } from "#src/lib/errors.ts";
import { launchTask, type LaunchDeps } from "./launch-task.ts";
import { isTerminal, type Task } from "./task.ts";

/**
 * The events of a task after an id, as Server-Sent Events, then live ones to its end. Throws `not_found` when the log is kept no
 * longer.
 */
export async function streamTask(
  deps: LaunchDeps,
  task: Pick<Task, "id" | "chatId" | "status">,
  after: number,
): Promise<Response> {
  const stream = await deps.taskLogs.stream(task.id, after);
  if (stream.status !== 404) return stream;
  if (isTerminal(task.status)) {
    throw new AppError("not_found", "The events of this task are no longer kept; its steps are");
  }
  // Acknowledged, yet its launch was lost: this reader need not wait for the sweep.
  await launchTask(deps, task);
  return deps.taskLogs.stream(task.id, after);
}
