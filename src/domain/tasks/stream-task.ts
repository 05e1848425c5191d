import { AppError } from "#src/lib/errors.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import { isTerminal, type Task } from "./task.ts";

/**
 * The events of a task after an id, as Server-Sent Events, then live ones to its end. Throws `not_found` when the log is kept no
 * longer.
 */
export async function streamTask(
  { taskLogs }: { taskLogs: TaskLogs },
  task: Pick<Task, "id" | "status">,
  after: number,
): Promise<Response> {
  // Nobody has opened the log of a task that waits for its first step, unless a reader has.
  const stream = await taskLogs.stream(task.id, after, { open: !isTerminal(task.status) });
  if (stream.status !== 404) return stream;
  throw new AppError("not_found", "The events of this task are no longer kept; its steps are");
}
