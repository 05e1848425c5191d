import {
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import type { LookupFunction } from "node:net";
import { pipeline } from "node:stream/promises";
import { CONNECTION_HEADERS } from "#src/lib/connection-headers.ts";
import { AppError } from "#src/lib/errors.ts";
import { ERROR_HEADER, SECRET_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";

/** Streams a request to a program's port, and its response back. */
export async function proxyToPort(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = targetOf(request);
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const outgoing = httpRequest(
    requestOptions(request, target, isChunked ? { "transfer-encoding": "chunked" } : {}),
  );
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
  });
  response.once("close", () => outgoing.destroy());
  // A pipeline would close the caller's connection together with the program's.
  request.pipe(outgoing);
  try {
    const incoming = await answered;
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? "", endToEnd(incoming));
    response.flushHeaders();
    await pipeline(incoming, response);
  } catch (error) {
    if (response.headersSent) throw error;
    throw nobodyListens(target.port, error);
  }
}

/** Returns the port and the path after `/port/`; throws `invalid_input` for an invalid port. */
export function targetOf(request: IncomingMessage): { port: number; path: string } {
  const [, digits = "", path = ""] = /^\/port\/(\d{1,5})(?![^/?])(.*)$/.exec(request.url ?? "") ?? [];
  const port = Number(digits);
  if (digits === "" || port < 1 || port > 65_535) throw new AppError("invalid_input", "Not a port");
  return { port, path: path.startsWith("/") ? path : `/${path}` };
}

/**
 * Headers for the program. The host is `localhost`, which dev servers accept whatever their configuration;
 * `X-Forwarded-Host` contains the visitor's real host. `added` headers win.
 */
export function requestOptions(
  request: IncomingMessage,
  { port, path }: { port: number; path: string },
  added: OutgoingHttpHeaders,
): RequestOptions {
  const { method = "GET" } = request;
  return {
    host: "localhost",
    port,
    path,
    method,
    headers: { ...headersOf(endToEnd(request)), host: `localhost:${port}`, ...added },
    lookup: loopback,
    // A new connection each time: a restarted program leaves no dead connections behind.
    agent: false,
  };
}

export function nobodyListens(port: number, cause: unknown): AppError {
  return new AppError("unavailable", `No program responds on port ${port}`, { cause });
}

/** Returns the headers to pass on, with their original spelling and repetitions. */
export function endToEnd(message: IncomingMessage): string[] {
  const named = (message.headers.connection ?? "").toLowerCase().split(",");
  const dropped = new Set([
    ...CONNECTION_HEADERS,
    ERROR_HEADER,
    SECRET_HEADER,
    ...named.map((name) => name.trim()),
  ]);
  const kept: string[] = [];
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = message.rawHeaders.slice(at, at + 2);
    // The platform's own headers are not passed to programs.
    const isOurs = dropped.has(name.toLowerCase()) || /^cf-/iu.test(name);
    if (!isOurs) kept.push(name, value);
  }
  return kept;
}

function headersOf(flat: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [name = "", value = ""] = flat.slice(at, at + 2);
    (headers[name.toLowerCase()] ??= []).push(value);
  }
  return headers;
}

/** A program listens on IPv4, on IPv6 or on both. */
const loopback: LookupFunction = (_host, _options, done) => {
  done(null, [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);
};
