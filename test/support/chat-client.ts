import { createParser } from "eventsource-parser";
import type { Account, ApiAnswer, ApiClient } from "./api-client.ts";

/** A frame of a chat stream: the JSON of its data line. */
export interface ChatFrame {
  type: string;
  content?: string;
  error?: string;
  tool?: string;
  args?: Record<string, unknown>;
  result?: unknown;
  data?: Record<string, unknown>;
}

export type ChatStream = Awaited<ReturnType<typeof openStream>>;

/** A stream as it comes. */
export async function openStream(
  service: Pick<ApiClient, "url">,
  method: "GET" | "POST",
  path: string,
  request: { token: string; json?: unknown; headers?: Record<string, string> },
) {
  const hangUp = new AbortController();
  const init = {
    method,
    headers: {
      authorization: `Bearer ${request.token}`,
      ...(request.json !== undefined && { "content-type": "application/json" }),
      ...request.headers,
    },
    signal: hangUp.signal,
    ...(request.json !== undefined && { body: JSON.stringify(request.json) }),
  };
  const response = await fetch(service.url + path, init);
  const { status, headers, body } = response;
  if (status !== 200 || !body)
    throw new Error(`${method} ${path} answered ${status}: ${await response.text()}`);
  return {
    status,
    headers,
    taskId: headers.get("x-task-id") ?? "",
    chatId: headers.get("x-chat-id") ?? "",
    /** Each frame as it comes; leaving the loop hangs up. */
    async *frames(): AsyncGenerator<ChatFrame & { id: number | undefined }, void, void> {
      const parsed: (ChatFrame & { id: number | undefined })[] = [];
      const parser = createParser({
        onEvent: ({ id, data, event }) => {
          if (event !== undefined) throw new Error(`An event line, which clients do not take: ${event}`);
          parsed.push({ ...JSON.parse(data), id: id === undefined ? undefined : Number(id) });
        },
      });
      const decoder = new TextDecoder();
      try {
        for await (const chunk of body) {
          parser.feed(decoder.decode(chunk, { stream: true }));
          yield* parsed.splice(0);
        }
      } finally {
        hangUp.abort();
      }
    },
    /** The text of the whole stream, to its end. */
    text: () => response.text(),
  };
}

export type ChatClient = Awaited<ReturnType<typeof newChatClient>>;

/** A person with a project, who talks to the agent. */
export async function newChatClient(
  service: ApiClient,
  options: { account?: Account; projectId?: string } = {},
) {
  const account = options.account ?? (await service.signUp("chatter"));
  const { token } = account;
  const projectId = options.projectId ?? (await service.newProject(token)).id;
  /** `POST /api/chat/agent/stream`. */
  const send = (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    openStream(service, "POST", "/api/chat/agent/stream", {
      token,
      json: { project_id: projectId, message, ...fields },
    });
  return {
    account,
    projectId,
    call: <T = unknown>(method: string, path: string, json?: unknown): Promise<ApiAnswer<T>> =>
      service.call(method, path, { token, ...(json !== undefined && { json }) }),
    send,
    /** The same, read to its end. */
    ask: async (message: string, fields?: Readonly<Record<string, unknown>>): Promise<ChatFrame[]> =>
      Array.fromAsync((await send(message, fields)).frames()),
    /** All frames of a task, from after an id to its end. */
    async replay(taskId: string, after = 0) {
      const path = `/api/chat/agent/events/${taskId}?last_event_id=${after}`;
      return Array.fromAsync((await openStream(service, "GET", path, { token })).frames());
    },
  };
}

/** The first frame of a type; the stream is left there. */
export async function frameOf(stream: ChatStream, type: string): Promise<ChatFrame> {
  for await (const frame of stream.frames()) if (frame.type === type) return frame;
  throw new Error(`The stream ended without ${type}`);
}
