import {
  describeTask,
  describeWaiting,
  requireOpenTask,
  type OpenedTask,
} from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TaskParams, TaskView } from "./schemas.ts";
import type { z } from "zod";

const description = "State and result of the task, and the delivery of its callback.";

export const status = endpoint({
  operationId: "getTaskStatus",
  method: "get",
  path: "/api/external/agent/status/:task",
  tag: "Agent tasks",
  summary: "Get a task's status",
  description,
  access: { keyOfTask: "chat.view" },
  params: TaskParams,
  response: { status: 200, schema: TaskView },
  handler: async ({ caller: { task } }) => describe(task),
});

export const statusForPeople = endpoint({
  operationId: "getMyTaskStatus",
  method: "get",
  path: "/api/chat/agent/status/:task",
  tag: "Agent tasks",
  summary: "Get my task's status",
  description: `For people, also of tasks that a key, a channel or a schedule started. ${description}`,
  access: { userOrKey: "chat.view" },
  params: TaskParams,
  response: { status: 200, schema: TaskView },
  handler: async ({ services, caller, params }) =>
    describe(await requireOpenTask(services, caller, params.task, "chat.view")),
});

function describe(task: OpenedTask): z.input<typeof TaskView> {
  return {
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
  };
}
