import { z } from "zod";
import { activeTasks } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";

const ProjectId = text({ min: 1, max: 100 }).describe("Id or slug of the project");

export const active = endpoint({
  operationId: "getActiveChatTask",
  method: "get",
  path: "/api/chat/agent/active",
  tag: "Chat",
  summary: "Get the active task",
  description:
    "The task that the caller's agent is working on in the project, or in one chat of it. `null` when there is none.",
  access: { userOrKey: "chat.view" },
  query: z.object({ project_id: ProjectId, chat_id: z.uuid().optional() }),
  response: {
    status: 200,
    schema: z
      .object({ task_id: z.string(), chat_id: z.string(), message: z.string(), started_at: Moment })
      .nullable(),
  },
  async handler({ services, caller, query }) {
    const of = { project: query.project_id, chatId: query.chat_id };
    const found = await activeTasks(services, caller, of);
    // Queued tasks may wait for the running one.
    const task = found.find((each) => each.task.status === "running")?.task ?? found[0]?.task;
    if (!task) return null;
    const startedAt = task.startedAt ?? task.createdAt;
    const { id, chatId, message } = task;
    return { task_id: id, chat_id: chatId, message, started_at: startedAt.toISOString() };
  },
});

export const activeInProject = endpoint({
  operationId: "listActiveChatTasks",
  method: "get",
  path: "/api/chat/agent/active-in-project",
  tag: "Chat",
  summary: "List active tasks",
  description: "All tasks that the caller's agents are working on in the project.",
  access: { userOrKey: "chat.view" },
  query: z.object({ project_id: ProjectId }),
  response: {
    status: 200,
    schema: z.object({
      tasks: z.array(z.object({ task_id: z.string(), chat_id: z.string(), title: z.string().nullable() })),
    }),
  },
  async handler({ services, caller, query }) {
    const found = await activeTasks(services, caller, { project: query.project_id, chatId: undefined });
    return { tasks: found.map(({ task, title }) => ({ task_id: task.id, chat_id: task.chatId, title })) };
  },
});
