import { z } from "zod";
import { cancelBackgroundTask } from "#src/domain/workspaces/lifecycle/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TaskParams } from "./background-task.ts";

export const cancelTask = endpoint({
  operationId: "cancelBackgroundTask",
  method: "delete",
  path: "/api/tasks/:background_task",
  summary: "Cancel a background task",
  description: "Cancels the creation of a project or the start of a container.",
  tag: "Background tasks",
  access: { userOrKey: "project.edit" },
  params: TaskParams,
  response: { status: 200, schema: z.object({ message: z.string(), task_id: z.uuid() }) },
  refusals: [400, 404],
  handler: async ({ services, caller, params }) => ({
    message: "Task cancelled",
    task_id: await cancelBackgroundTask(services, caller, params.background_task),
  }),
});
