import { z } from "zod";
import { sendMessage as send } from "#src/domain/agent-work/chats/index.ts";
import {
  cancelTask as cancel,
  describeWaiting,
  listTasks as tasksOf,
  requireOpenTask,
  startTask as start,
} from "#src/domain/agent-work/tasks/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { IdempotencyKey } from "#src/http/idempotency-key.ts";
import { text } from "#src/http/schemas.ts";
import { isGuid, isId } from "#src/lib/ids.ts";
import type { ToolCall } from "../call.ts";
import { settledTask } from "../settled-task.ts";
import { TaskHandle } from "../task-handles.ts";
import { defineTool } from "../tool.ts";
import { ProjectId } from "./projects.ts";

/** Clients give up on a call after a minute. */
const MOST_WAIT = 50;

// Without a pattern, which models read and some of their providers refuse.
const ChatId = z.string().refine(isId, "must be the id of a chat");
const AgentId = z.string().refine(isGuid, "must be the id of an agent");
const TaskId = z.string().describe("`task_id` of the task");
const Message = text({ min: 1, max: 100_000, trim: true }).describe("What the agent is to do");
const WaitSeconds = z
  .number()
  .int()
  .min(0)
  .max(MOST_WAIT)
  .default(0)
  .describe("How long to wait for the end of the task, with progress; the task goes on after that");
const RepeatKey = IdempotencyKey.optional().describe(
  "A name of your own for this message: a repetition within 24 hours starts nothing and returns the first one's task",
);

const AND_THEN =
  "A task goes on without the caller: follow it with `get_task` until its status is `completed`, `failed` or `cancelled`.";
const STARTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

export const startTask = defineTool({
  name: "start_task",
  title: "Start a task",
  description: `Asks an agent to work on a project. ${AND_THEN}`,
  scope: "chat.send",
  input: z.object({
    project_id: ProjectId,
    message: Message,
    agent_id: AgentId.optional().describe("Agent that works on it; the default agent when absent"),
    chat_id: ChatId.optional().describe("Chat to continue; a new one when absent"),
    wait_seconds: WaitSeconds,
    idempotency_key: RepeatKey,
  }),
  annotations: STARTS,
  async run(call, { project_id, message, agent_id: agentId, chat_id, wait_seconds, idempotency_key: key }) {
    const { services, caller } = call;
    const { id: projectId } = await requireProject(services, caller, project_id, "chat.send");
    const { taskId } = await start(services, {
      userId: caller.userId,
      apiKeyId: caller.keyId,
      scopes: caller.scopes,
      projectId,
      message,
      agentId,
      chat: chat_id === undefined ? { kind: "new" } : { kind: "named", id: chat_id },
      source: { kind: "api", idempotency: key === undefined ? undefined : { key } },
    });
    return begun(call, taskId, wait_seconds);
  },
});

export const sendMessage = defineTool({
  name: "send_message",
  title: "Send a message to a chat",
  description: `Sends a message to the agent of a chat, which becomes a task. The messages of a chat run one after another. ${AND_THEN}`,
  scope: "chat.send",
  input: z.object({
    chat_id: ChatId.describe("`chat_id` of an earlier task"),
    message: Message,
    wait_seconds: WaitSeconds,
    idempotency_key: RepeatKey,
  }),
  annotations: STARTS,
  async run(call, { chat_id: chatId, message, wait_seconds: waitSeconds, idempotency_key: idempotencyKey }) {
    const { services, caller } = call;
    const input = { project: undefined, agentId: undefined, chatId, message, idempotencyKey };
    const { taskId } = await send(services, caller, input);
    return begun(call, taskId, waitSeconds);
  },
});

export const getTask = defineTool({
  name: "get_task",
  title: "Get a task",
  description:
    "The state of a task and, at its end, the agent's response. `waiting_for` says what an unfinished task waits for: approvals are answered by a person in the console.",
  scope: "chat.view",
  input: z.object({ task_id: TaskId, wait_seconds: WaitSeconds }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: (call, { task_id, wait_seconds: waitSeconds }) =>
    settledTask(call, task_id, { scope: "chat.view", waitSeconds }),
});

export const listTasks = defineTool({
  name: "list_tasks",
  title: "List tasks",
  description: "Tasks of the key's person, newest first, with what unfinished ones wait for.",
  scope: "chat.view",
  input: z.object({
    project_id: ProjectId.optional(),
    status: z.enum(["queued", "running", "completed", "failed", "cancelled"]).optional(),
    page: z.number().int().min(1).max(1_000_000).default(1),
    limit: z.number().int().min(1).max(100).default(20),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ services, caller }, { project_id, status, page, limit }) {
    const project =
      project_id === undefined ? null : await requireProject(services, caller, project_id, "chat.view");
    const { items, total } = await tasksOf(
      services,
      caller,
      { statuses: status === undefined ? null : [status], projectId: project?.id ?? null, since: null },
      { page, limit },
    );
    return { tasks: items.map(describe), total };
  },
});

export const cancelTask = defineTool({
  name: "cancel_task",
  title: "Cancel a task",
  description: "Stops a task. One that has ended is unchanged.",
  scope: "chat.send",
  input: z.object({ task_id: TaskId }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ services, caller }, { task_id }) {
    const task = await requireOpenTask(services, caller, task_id, "chat.send");
    const outcome = await cancel(services, task);
    const status = outcome.cancelRequested ? "cancelled" : outcome.status;
    return { task_id, status, cancel_requested: outcome.cancelRequested };
  },
});

/** What a caller gets that has started a task: its handle, or its state after the wait that was asked for. */
async function begun(call: ToolCall, taskId: string, waitSeconds: number) {
  if (waitSeconds > 0 || !call.takesHandles)
    return settledTask(call, taskId, { scope: "chat.send", waitSeconds });
  return new TaskHandle(await requireOpenTask(call.services, call.caller, taskId, "chat.send"));
}

function describe(task: Awaited<ReturnType<typeof tasksOf>>["items"][number]) {
  return {
    task_id: task.id,
    chat_id: task.chatId,
    project_id: task.projectId,
    status: task.status,
    message: task.message.slice(0, 200),
    error: task.error,
    ...(task.waiting && { waiting_for: describeWaiting(task.waiting) }),
    created_at: task.createdAt.toISOString(),
    completed_at: task.completedAt?.toISOString() ?? null,
  };
}
