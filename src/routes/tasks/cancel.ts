import { z } from "zod";
import { cancelTask } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { TaskParams, TaskStatus } from "./schemas.ts";

const Cancelled = z
  .object({
    task_id: z.string(),
    status: TaskStatus,
    cancel_requested: z.boolean(),
    cancelled_at: Moment.optional(),
    reason: z.literal("terminal").optional(),
  })
  .meta({ id: "CancelledTask" });

export const cancel = endpoint({
  operationId: "cancelTask",
  method: "post",
  path: "/api/v1/agents/tasks/:task/cancel",
  aliases: ["/api/external/agent/cancel/:task"],
  tag: "Agent tasks",
  summary: "Cancel a task",
  description: "A finished task is unchanged.",
  access: { keyOfTask: "chat.send" },
  params: TaskParams,
  response: { status: 200, schema: Cancelled },
  handler: async ({ services, caller: { task } }) => {
    const outcome = await cancelTask(services, task);
    return outcome.cancelRequested
      ? {
          task_id: task.id,
          status: "cancelled" as const,
          cancel_requested: true,
          cancelled_at: outcome.cancelledAt.toISOString(),
        }
      : { task_id: task.id, status: outcome.status, cancel_requested: false, reason: "terminal" as const };
  },
});
