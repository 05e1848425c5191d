import type { ChatSessions } from "#src/platform/objects/chat-sessions.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";

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
export async function launchTask(deps: LaunchDeps, task: { id: string; chatId: string }): Promise<void> {
  const opened = await deps.taskLogs.open({ taskId: task.id, chatId: task.chatId });
  if (opened.state !== "waiting") return;
  const turn = await deps.chatSessions.enqueue(task.chatId, task.id);
  if (turn === "queued") return; // the task that has the turn passes it on when it ends
  await deps.queue.publish({
    function: "agent-step",
    payload: { taskId: task.id, step: 1 },
    deduplicationId: `step-${task.id}-1-launch-${opened.attempt}`,
  });
}
