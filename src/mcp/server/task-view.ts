import { describeWaiting, type OpenedTask } from "#src/domain/agent-work/tasks/index.ts";
import { boundOutput } from "#src/shell/bound-output.ts";

/** Most characters of an agent's response in a result; the transcript has all of it. */
const MAX_RESPONSE = 100_000;

/** Where a person answers what a task asks: the console's page of its chat. */
export const pageOfChat = (
  { projectId, chatId }: OpenedTask,
  { PUBLIC_URL }: { PUBLIC_URL: string },
): string => new URL(`/app/projects/${projectId}/chats/${chatId}`, PUBLIC_URL).href;

/** A task as tools return it. */
export function viewOfTask(task: OpenedTask, config: { PUBLIC_URL: string }): Record<string, unknown> {
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
    ...(task.waiting?.approvalId && { answer_at: pageOfChat(task, config) }),
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString() ?? null,
    completed_at: task.completedAt?.toISOString() ?? null,
  };
}
