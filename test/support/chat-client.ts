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

/** A stream as it comes. */
export interface ChatStream {
  status: number;
  headers: Headers;
  taskId: string;
  chatId: string;
  /** Each frame as it comes; leaving the loop hangs up. */
  frames(): AsyncGenerator<ChatFrame & { id: number | undefined }, void, void>;
  /** The text of the whole stream, to its end. */
  text(): Promise<string>;
}

export async function openStream(
  service: Pick<ApiClient, "url">,
  method: "GET" | "POST",
  path: string,
  request: { token: string; json?: unknown; headers?: Record<string, string> },
): Promise<ChatStream> {
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
    async *frames() {
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
    text: () => response.text(),
  };
}

/** A person with a project, who talks to the agent. */
export interface ChatClient {
  account: Account;
  projectId: string;
  call<T = unknown>(method: string, path: string, json?: unknown): Promise<ApiAnswer<T>>;
  /** `POST /api/chat/agent/stream`. */
  send(message: string, fields?: Readonly<Record<string, unknown>>): Promise<ChatStream>;
  /** The same, read to its end. */
  ask(message: string, fields?: Readonly<Record<string, unknown>>): Promise<ChatFrame[]>;
  /** All frames of a task, from after an id to its end. */
  replay(taskId: string, after?: number): Promise<(ChatFrame & { id: number | undefined })[]>;
}

export async function newChatClient(
  service: ApiClient,
  options: { account?: Account; projectId?: string } = {},
): Promise<ChatClient> {
  const account = options.account ?? (await service.signUp("chatter"));
  const { token } = account;
  const projectId = options.projectId ?? (await service.newProject(token)).id;
  const send: ChatClient["send"] = (message, fields = {}) =>
    openStream(service, "POST", "/api/chat/agent/stream", {
      token,
      json: { project_id: projectId, message, ...fields },
    });
  return {
    account,
    projectId,
    call: (method, path, json) => service.call(method, path, { token, ...(json !== undefined && { json }) }),
    send,
    async ask(message, fields) {
      return Array.fromAsync((await send(message, fields)).frames());
    },
    async replay(taskId, after = 0) {
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
