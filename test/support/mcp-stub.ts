import type { IncomingMessage, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { z } from "zod";
import { serve } from "#local/serve.ts";

const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  /** Without one it is the answer to a request of the server. */
  method: z.string().default("answer"),
  params: z.looseObject({}).default({}),
  result: z.looseObject({}).optional(),
  error: z.looseObject({}).optional(),
});

/** A request as the server received it. */
export interface StubRequest {
  id: string | number | undefined;
  method: string;
  params: Record<string, unknown>;
  headers: IncomingMessage["headers"];
}

type Handler = (request: StubRequest, response: ServerResponse) => unknown;

/** An MCP server whose answers a test chooses, whatever the protocol says. */
export interface McpStub {
  url: string;
  /** As they are listed: not only of forms that the protocol allows. */
  tools: unknown[];
  /** What a call returns; a text becomes the content. */
  answer: (args: Record<string, unknown>, name: string) => unknown;
  requests: StubRequest[];
  /** Calls of tools. */
  calls: () => { name: unknown; arguments: unknown }[];
  /** By method: answers in place of the server. A result that is undefined leaves the response to the handler. */
  instead: Partial<Record<string, Handler>>;
  /** Forgets all sessions of an older revision. */
  forgetSessions: () => void;
  close: () => Promise<void>;
}

/** An answer that is an error of the protocol. */
export class Refused extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const CURRENT = "2026-07-28";

/** A tool without arguments. */
export const plainTool = (name: string, fields: object = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object", properties: { q: { type: "string" } } },
  ...fields,
});

/** Starts a server of the current revision, or of an older one with its handshake and sessions. */
export async function startMcpStub(
  tools: unknown[] = [plainTool("look_up")],
  { era = CURRENT }: { era?: "2026-07-28" | "2025-11-25" | "2025-06-18" } = {},
): Promise<McpStub> {
  const isCurrent = era === CURRENT;
  const requests: StubRequest[] = [];
  const sessions = new Set<string>();
  const complete = isCurrent ? { resultType: "complete" } : {};
  const list = isCurrent ? { ttlMs: 0, cacheScope: "private" } : {};

  const methods: Record<string, (request: StubRequest) => unknown> = {
    ...(isCurrent && {
      "server/discover": () => ({
        ...complete,
        ...list,
        supportedVersions: [CURRENT],
        capabilities: { tools: {} },
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "stub", version: "1" } },
      }),
    }),
    ...(!isCurrent && {
      initialize: () => ({
        protocolVersion: era,
        capabilities: { tools: {} },
        serverInfo: { name: "stub", version: "1" },
      }),
      ping: () => ({}),
    }),
    "tools/list": () => ({ ...complete, ...list, tools: stub.tools }),
    "tools/call": ({ params }) => {
      const answer = stub.answer(Object(params["arguments"] ?? {}), String(params["name"]));
      const result = typeof answer === "string" ? { content: [{ type: "text", text: answer }] } : answer;
      return { ...complete, ...Object(result) };
    },
  };

  const door = await serve(async (request, response) => {
    const sessionId = String(request.headers["mcp-session-id"] ?? "");
    if (request.method === "DELETE" && !isCurrent) sessions.delete(sessionId);
    if (request.method !== "POST")
      return void response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    const sent = Message.parse(JSON.parse(await textOf(request)));
    const received = {
      id: sent.id,
      method: sent.method,
      params: sent.error ?? sent.result ?? sent.params,
      headers: request.headers,
    };
    requests.push(received);
    const handler = stub.instead[sent.method];
    const instead = await handler?.(received, response);
    if (handler && instead === undefined) return;
    if (instead instanceof Refused) {
      const { code, message, data } = instead;
      return reply(response, 200, { id: sent.id, error: { code, message, data } });
    }
    if (!isCurrent && sent.method !== "initialize" && !sessions.has(sessionId)) {
      const status = sessionId === "" ? 400 : 404;
      return reply(response, status, {
        id: sent.id ?? null,
        error: { code: -32_000, message: "No session" },
      });
    }
    if (sent.id === undefined || sent.method === "answer") return void response.writeHead(202).end();
    const method = methods[sent.method];
    if (!method && instead === undefined) {
      const error = { code: -32_601, message: "Method not found" };
      return reply(response, isCurrent ? 404 : 200, { id: sent.id, error });
    }
    if (sent.method === "initialize") {
      const id = crypto.randomUUID();
      sessions.add(id);
      response.setHeader("mcp-session-id", id);
    }
    reply(response, 200, { id: sent.id, result: instead ?? method?.(received) });
  });

  const stub: McpStub = {
    url: `${door.url}/mcp`,
    tools,
    answer: (args, name) => `${name} was called with ${JSON.stringify(args)}`,
    requests,
    calls: () =>
      requests
        .filter(({ method }) => method === "tools/call")
        .map(({ params }) => ({ name: params["name"], arguments: params["arguments"] })),
    instead: {},
    forgetSessions: () => sessions.clear(),
    close: () => door.close(),
  };
  return stub;
}

function reply(response: ServerResponse, status: number, message: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", ...message }));
}
