import type { tasks, callbackAttempts } from "#src/db/schema/index.ts";

export type Task = typeof tasks.$inferSelect;
export type TaskStatus = Task["status"];
export type CallbackAttempt = typeof callbackAttempts.$inferSelect;

/** States that never change again. */
const TERMINAL: ReadonlySet<TaskStatus> = new Set<TaskStatus>(["completed", "failed", "cancelled"]);

export function isTerminal(status: TaskStatus): boolean {
  return TERMINAL.has(status);
}

/** Where a task's events are read: relative to the service's base address. */
export function eventsUrl(taskId: string): string {
  return `/api/external/agent/events/${taskId}`;
}

/**
 * A task as callers see it, under the field names of both client families. Status responses and callbacks have this shape.
 */
export function describeTask(task: Task) {
  return {
    task_id: task.id,
    chat_id: task.chatId,
    project_id: task.projectId,
    agent_id: task.agentId,
    status: task.status,
    response: task.response,
    final_response: task.response,
    iterations: task.iterations,
    tool_calls: task.toolCalls,
    tool_calls_made: task.toolCalls,
    completion_reason: task.completionReason,
    error: task.error,
    events_url: eventsUrl(task.id),
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString() ?? null,
    completed_at: task.completedAt?.toISOString() ?? null,
  };
}
