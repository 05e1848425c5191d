import { requireBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { BackgroundTask, describeTask, TaskParams } from "./background-task.ts";

export const getBackgroundTask = endpoint({
  operationId: "getBackgroundTask",
  method: "get",
  path: "/api/tasks/:background_task/status",
  aliases: ["/api/tasks/:background_task"],
  summary: "Get a background task",
  description: "Clients poll it every second for progress.",
  tag: "Background tasks",
  access: { userOrKey: "project.view" },
  params: TaskParams,
  response: { status: 200, schema: BackgroundTask },
  refusals: [404],
  handler: async ({ services, caller, params }) =>
    describeTask(await requireBackgroundTask(services, caller, params.background_task)),
});
