import { AppError } from "#src/lib/errors.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import { isTerminal, type Task } from "./task.ts";

/**
 * Streams the events of a task after an id as Server-Sent Events, then live ones to its end. Returns 204 without a body
 * when the task has ended and has no later event. Throws `not_found` when the log is no longer kept, and `invalid_input`
 * for an id that the log of a running task has not reached, and `rate_limited` for a `reader`, by their id, with too many
 * streams of the task.
 */
export async function streamTask(
  { taskLogs }: { taskLogs: TaskLogs },
  task: Pick<Task, "id" | "status">,
  after: number,
  reader?: string,
): Promise<Response> {
  // The log of a task that waits for its first step exists only if a reader has opened it.
  const stream = await taskLogs.stream(task.id, after, {
    open: !isTerminal(task.status),
    ...(reader !== undefined && { reader }),
  });
  if (stream.status === 429)
    throw new AppError("rate_limited", "Too many streams of this task are open: close one");
  if (stream.status === 416) throw aheadOfLog(after);
  if (stream.status !== 404) return stream;
  throw new AppError("not_found", "The events of this task are no longer kept: read its steps instead");
}

/** For a reader whose id is ahead of the log: which events it misses is unknown. */
export function aheadOfLog(after: number): AppError {
  return new AppError(
    "invalid_input",
    `The task has no event ${after} yet: resume after an event that you received`,
  );
}
