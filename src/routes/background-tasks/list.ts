import { z } from "zod";
import { listBackgroundTasks } from "#src/domain/workspaces/background-tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { BackgroundTask, describeTask } from "./background-task.ts";

const ACTIVE_LIMIT = 100;

export const listActiveTasks = endpoint({
  operationId: "listActiveBackgroundTasks",
  method: "get",
  path: "/api/tasks/user/active",
  summary: "List active background tasks",
  description: "The caller's background tasks in progress, newest first.",
  tag: "Background tasks",
  access: { userOrKey: "project.view" },
  response: { status: 200, schema: z.array(BackgroundTask) },
  handler: async ({ services, caller }) =>
    (await listBackgroundTasks(services, caller, { open: true, limit: ACTIVE_LIMIT })).map(describeTask),
});

export const listTasks = endpoint({
  operationId: "listBackgroundTasks",
  method: "get",
  path: "/api/tasks/user/all",
  summary: "List recent background tasks",
  description: "The caller's background tasks of the last day, newest first.",
  tag: "Background tasks",
  access: { userOrKey: "project.view" },
  query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
  response: { status: 200, schema: z.array(BackgroundTask) },
  handler: async ({ services, caller, query }) =>
    (await listBackgroundTasks(services, caller, { open: false, limit: query.limit })).map(describeTask),
});
