import type { CancelledTask, Task } from "#sdk/generated/types.gen.ts";
import type { Account, ApiClient } from "./api-client.ts";
import { collectEvents, readEvents, type TaskEvent } from "./events.ts";

export interface Invoked {
  task_id: string;
  chat_id: string;
  events_url: string;
  status: string;
}

export type { Task as TaskStatus };
export type TaskClient = Awaited<ReturnType<typeof newTaskClient>>;

/**
 * A person with a project and a key, who invokes agents: a new one, or one more key of a known one. `boundKey` makes the key one of
 * the project alone.
 */
export async function newTaskClient(
  service: ApiClient,
  options: { account?: Account; projectId?: string; boundKey?: boolean } = {},
) {
  const account = options.account ?? (await service.signUp());
  const projectId = options.projectId ?? (await service.newProject(account.token)).id;
  const made = await service.newKey(account.token, options.boundKey ? projectId : undefined);
  const { key, webhookSecret } = made;

  const invoke = (
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
    headers: Record<string, string> = {},
  ) =>
    service.call<Invoked>("POST", "/api/external/agent/invoke", {
      token: key,
      json: { project_id: projectId, message, ...fields },
      headers,
    });
  const requestOf = (taskId: string, after?: number) => ({ url: service.url, key, taskId, after });

  return {
    account,
    projectId,
    keyId: made.id,
    key,
    webhookSecret,
    /** Invoke and return the response of any status; `fields` are added to the body. */
    invoke,
    /** Invoke; anything but 200 is a broken test. */
    async start(message: string, fields?: Readonly<Record<string, unknown>>): Promise<Invoked> {
      const { status, text, body } = await invoke(message, fields);
      if (status !== 200) throw new Error(`Invoke answered ${status}: ${text}`);
      return body;
    },
    async status(taskId: string): Promise<Task> {
      const path = `/api/external/agent/status/${taskId}`;
      const { status, text, body } = await service.call<Task>("GET", path, { token: key });
      if (status !== 200) throw new Error(`Status answered ${status}: ${text}`);
      return body;
    },
    /** The task's events as they come. */
    events: (taskId: string, after?: number) => readEvents(requestOf(taskId, after)),
    /** All events of the task: resolves when it is over. */
    end: (taskId: string, after?: number) => collectEvents(requestOf(taskId, after)),
    /** Opens the task's events: resolves once the first is there. `ended` resolves with all of them when the task is over. */
    async watch(taskId: string): Promise<{ ended: Promise<TaskEvent[]> }> {
      const events = readEvents(requestOf(taskId));
      const first = await events.next();
      const read = async () => {
        const all = first.done ? [] : [first.value];
        for await (const event of events) all.push(event);
        return all;
      };
      return { ended: read() };
    },
    /** Resolves with the task's first event of this type. */
    async event(taskId: string, type: string): Promise<TaskEvent> {
      for await (const event of readEvents(requestOf(taskId))) if (event.type === type) return event;
      throw new Error(`The task ended without ${type}`);
    },
    cancel: (taskId: string) =>
      service.call<CancelledTask>("POST", `/api/v1/agents/tasks/${taskId}/cancel`, { token: key }),
  };
}

/** A message that the demo model answers with these turns, one after the other (`stand-ins/model/turn.ts`). */
export function script(...turns: readonly object[]): string {
  // A script within a script must not end the outer one.
  const json = JSON.stringify(turns).replaceAll("`", String.raw`\u0060`);
  return `Play this.\n\`\`\`demo\n${json}\n\`\`\``;
}

/** A tool call as a script writes it. */
export function call(name: string, args: Readonly<Record<string, unknown>>) {
  return { name, arguments: args };
}

/** A command that ends when the project has a file `go.txt`. */
export const UNTIL_GO = "until [ -e go.txt ]; do sleep 0.1; done";
