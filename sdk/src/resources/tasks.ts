import type { InvokedTask, TaskList, TaskListItem } from "../generated/types.gen.ts";
import { answerTo } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { ConnectionError } from "../errors.ts";
import { bodyOf } from "../http/answer.ts";
import { isObject, trusted } from "../json.ts";
import { Task } from "../tasks/task.ts";
import { byPage } from "./pages.ts";

const INVOKE = "/api/external/agent/invoke";

/** Tasks: those that programs start with a key, and of people also those of their chats, channels and schedules. */
export function tasks(transport: Transport) {
  const template = transport.credentials.isKey ? "/api/v1/agents/tasks" : "/api/chat/agent/tasks";
  return {
    /**
     * Starts a task. It is safe once this resolves. Repeated attempts start it once, by the idempotency key: a new one for
     * each call, or that of the options, which also recognises a repetition by another process within 24 hours.
     *
     * @example
     * const task = await workspace.tasks.invoke({ project_id, message: "Fix the failing test" });
     * for await (const event of task.events()) console.log(event.type);
     * const { status, response } = await task.result();
     */
    invoke: async (
      body: Body<"POST /api/external/agent/invoke">,
      { idempotencyKey = crypto.randomUUID(), ...options }: CallOptions & { idempotencyKey?: string } = {},
    ): Promise<Task> => {
      const call = { ...options, method: "POST", template: INVOKE, body, idempotencyKey };
      const invoked = await transport.send(call, invokedTask);
      return new Task(transport, invoked.task_id, invoked.chat_id);
    },
    /** The handle of a known task. Asks nothing of the service. */
    get: (id: string): Task => new Task(transport, id),
    /** The caller's tasks, newest first, a page at a time. */
    list: (query?: Query<"GET /api/v1/agents/tasks">, options?: CallOptions): Promise<TaskList> =>
      answerTo(transport, { ...options, method: "GET", template, query }),
    /** Iterates over all tasks, newest first. */
    all: (query?: Omit<Query<"GET /api/v1/agents/tasks">, "page" | "limit">, options?: CallOptions) =>
      byPage<TaskListItem>(transport, { ...options, template, query }),
  };
}

/** What is no task is not the service's answer: the call is repeated. */
async function invokedTask(response: Response): Promise<InvokedTask> {
  const body = await bodyOf(response);
  if (!isObject(body) || typeof body["task_id"] !== "string") {
    throw new ConnectionError("The answer is not the service's: it names no task");
  }
  return trusted<InvokedTask>(body);
}
