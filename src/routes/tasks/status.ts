import { describeTask, describeWaiting } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TaskParams, TaskView } from "./schemas.ts";

export const status = endpoint({
  method: "get",
  path: "/api/external/agent/status/:task",
  tag: "Agent tasks",
  summary: "Get a task's status",
  description: "State and result of the task, and the delivery of its callback.",
  access: { keyOfTask: "chat.view" },
  params: TaskParams,
  response: { status: 200, schema: TaskView },
  handler: async ({ caller: { task } }) => ({
    ...describeTask(task),
    ...(task.waiting && { waiting_for: describeWaiting(task.waiting) }),
    callback: {
      url: task.webhookUrl,
      status: task.callbackStatus,
      attempts: task.callbackAttempts.map((attempt) => ({
        attempt: attempt.attempt,
        delivered: attempt.delivered,
        status_code: attempt.statusCode,
        error: attempt.error,
        at: attempt.createdAt.toISOString(),
      })),
    },
  }),
});
