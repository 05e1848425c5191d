import type { ChatSessions } from "#src/platform/objects/chat-sessions.ts";
import type { Opened, TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { Task } from "./task.ts";

export interface LaunchDeps {
  taskLogs: TaskLogs;
  chatSessions: ChatSessions;
  queue: Queue;
}

/**
 * Bring a stored task to its first step: open its log (which arms the watchdog), ask the chat for the turn, publish the
 * step. Each part is safe to repeat, so a launch that was cut off anywhere is simply done again: by a replayed request,
 * the watchdog, the chat's lease or the sweep.
 */
export async function launchTask(deps: LaunchDeps, task: LaunchableTask): Promise<void> {
  const opened = await deps.taskLogs.open({ taskId: task.id, chatId: task.chatId });
  // Only then the turn: a task that is over must not stand in its chat's queue again.
  if (opened.state !== "waiting") return;
  const turn = await deps.chatSessions.enqueue(task.chatId, task.id);
  if (turn === "running") await publishFirstStep(deps, task, opened);
}

/** The same for a task that was stored this moment: nobody else can have launched it, so its parts need no order. */
export async function launchNewTask(deps: LaunchDeps, task: LaunchableTask): Promise<void> {
  const [opened, turn] = await Promise.all([
    deps.taskLogs.open({ taskId: task.id, chatId: task.chatId }),
    deps.chatSessions.enqueue(task.chatId, task.id),
  ]);
  // One that is queued is passed the turn by the task that has it now.
  if (turn === "running") await publishFirstStep(deps, task, opened);
}

type LaunchableTask = Pick<Task, "id" | "chatId">;

async function publishFirstStep(
  { queue }: LaunchDeps,
  { id }: LaunchableTask,
  { attempt }: Opened,
): Promise<void> {
  await queue.publish({
    function: "agent-step",
    payload: { taskId: id, step: 1 },
    deduplicationId: `step-${id}-1-launch-${attempt}`,
  });
}
