import type { McpServer } from "@modelcontextprotocol/server";
import type { Protocol } from "./session.ts";

interface Served {
  /** A new server for the request. */
  build: (protocol: Protocol) => McpServer;
  /** Told of refused requests, whose answers say no more than the protocol has words for. */
  onError: (error: Error) => void;
}

/** Answers one message, or one batch, with a server of its own. */
export async function serve(request: Request, body: unknown, { build, onError }: Served): Promise<Response> {
  // The package is large, and most isolates never serve a client of it.
  const protocol = await import("@modelcontextprotocol/server");
  const { fetch } = protocol.createMcpHandler(() => build(protocol), { onerror: onError });
  return fetch(accepting(request), { parsedBody: body });
}

/** Simple clients say that they accept anything, or nothing; the protocol demands both of its types by name. */
function accepting(request: Request): Request {
  const headers = new Headers(request.headers);
  const accept = headers.get("accept") ?? "*/*";
  if (accept.includes("*/*")) headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}
