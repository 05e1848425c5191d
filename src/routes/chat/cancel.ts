import { z } from "zod";
import { requireTask, stopChat } from "#src/domain/agent-work/chats/index.ts";
import { cancelTask } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TaskParams } from "./task.ts";

export const cancel = endpoint({
  operationId: "cancelChatTask",
  method: "post",
  path: "/api/chat/agent/cancel/:task",
  tag: "Chat",
  summary: "Cancel a chat task",
  description: "Returns the task's status. A finished task is unchanged.",
  access: { userOrKey: "chat.send" },
  params: TaskParams,
  response: {
    status: 200,
    schema: z.object({
      status: z.enum(["cancellation_requested", "completed", "failed", "cancelled"]),
      task_id: z.string(),
    }),
  },
  async handler({ services, caller, params }) {
    const task = await requireTask(services, caller, params.task, "chat.send");
    await cancelTask(services, task);
    const { id, status } = task;
    const isOpen = status === "queued" || status === "running";
    return { status: isOpen ? ("cancellation_requested" as const) : status, task_id: id };
  },
});

export const forceCancel = endpoint({
  operationId: "cancelAllChatWork",
  method: "post",
  path: "/api/chat/agent/force-cancel",
  tag: "Chat",
  summary: "Cancel all work in a chat",
  description: "Running and waiting tasks.",
  access: { userOrKey: "chat.send" },
  query: z.object({ chat_id: z.uuid() }),
  response: {
    status: 200,
    schema: z.object({ status: z.enum(["force_cancelled", "no_lock_found"]), chat_id: z.string() }),
  },
  async handler({ services, caller, query }) {
    const isStopped = await stopChat(services, caller, query.chat_id);
    const status = isStopped ? ("force_cancelled" as const) : ("no_lock_found" as const);
    return { status, chat_id: query.chat_id };
  },
});
