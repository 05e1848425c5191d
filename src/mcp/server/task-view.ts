import { describeWaiting, type OpenedTask } from "#src/domain/agent-work/tasks/index.ts";
import { chatUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import { boundOutput } from "#src/shell/bound-output.ts";

/** Most characters of an agent's response in a result; the transcript has all of it. */
const MAX_RESPONSE = 100_000;

/** A task as tools return it. */
export function viewOfTask(task: OpenedTask, config: ConsoleConfig): Record<string, unknown> {
  return {
    task_id: task.id,
    chat_id: task.chatId,
    project_id: task.projectId,
    agent_id: task.agentId,
    status: task.status,
    response: task.response === null ? null : boundOutput(task.response, MAX_RESPONSE),
    error: task.error,
    completion_reason: task.completionReason,
    iterations: task.iterations,
    tool_calls: task.toolCalls,
    ...(task.waiting && { waiting_for: describeWaiting(task.waiting) }),
    ...(task.waiting?.approvalId && { answer_at: chatUrl(config, task) }),
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString() ?? null,
    completed_at: task.completedAt?.toISOString() ?? null,
  };
}
