import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { serve } from "#local/serve.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An official server with the transport of 2024-11-05 alone. */
export interface OlderMcp {
  url: string;
  /** With what it answers a POST to its own address. */
  refusal: number;
  /** Methods and paths of all requests, in order. */
  requests: string[];
  /** Credentials of all requests. */
  credentials: Set<string | undefined>;
  /** What a call of its tool returns. */
  answer: () => string | Promise<string>;
  /** In place of the server: for the stream, or for a message. */
  instead: { stream?: Handler | undefined; message?: Handler | undefined };
  /** Says on all streams what is no message. */
  garble: () => void;
  /** Breaks off all streams. */
  breakOff: () => void;
  close: () => Promise<void>;
}

export async function startOlderMcp(): Promise<OlderMcp> {
  const transports = new Map<string, SSEServerTransport>();
  const streams = new Set<ServerResponse>();
  const door = await serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://here");
    older.requests.push(`${request.method} ${pathname}`);
    older.credentials.add(request.headers.authorization);
    if (request.method === "GET" && pathname === "/sse") {
      streams.add(response);
      if (older.instead.stream) return older.instead.stream(request, response);
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      return newServer(older).connect(transport);
    }
    const transport = transports.get(searchParams.get("sessionId") ?? "");
    if (request.method === "POST" && pathname === "/messages") {
      if (older.instead.message) return older.instead.message(request, response);
      if (transport) return transport.handlePostMessage(request, response);
    }
    response.writeHead(request.method === "POST" ? older.refusal : 404).end();
  });
  const older: OlderMcp = {
    url: `${door.url}/sse`,
    refusal: 404,
    requests: [],
    credentials: new Set(),
    answer: () => "found",
    instead: {},
    garble() {
      for (const stream of streams) stream.write('data: {"jsonrpc\n\ndata: 7\n\nevent: other\ndata: {}\n\n');
    },
    breakOff() {
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
    close: () => door.close(),
  };
  return older;
}

function newServer(older: OlderMcp): Server {
  const server = new Server({ name: "older", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "look_up", description: "Looks up", inputSchema: { type: "object" } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async () => ({
    content: [{ type: "text", text: await older.answer() }],
  }));
  return server;
}
