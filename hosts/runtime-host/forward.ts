import http from "node:http";
import { pipeline, type Duplex } from "node:stream";
import { CONNECTION_HEADERS } from "#src/lib/connection-headers.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Sandbox } from "./sandbox.ts";
import { withoutConnection } from "./without-connection.ts";

const lost = (cause: unknown) =>
  new AppError("unavailable", "The project's environment has ended; try again in a moment", { cause });

export interface Forwarded {
  /** Path and query inside the sandbox. */
  path: string;
  /** Called before the first byte of a successful response is sent. If it throws, the request fails. */
  onSuccess?: () => Promise<void>;
}

/**
 * Passes a request to the sandbox and its response back, as streams; if either end breaks off, so does the other.
 * Throws `unavailable` without a response. Resolves when the response is complete.
 */
export async function forward(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  sandbox: Sandbox,
  { path, onSuccess }: Forwarded,
): Promise<void> {
  const release = sandbox.use();
  response.once("close", release);
  const outgoing = send(request, sandbox, path, withoutConnection(request.headers));
  response.once("close", () => outgoing.destroy());
  request.pipe(outgoing);
  const incoming = await answerTo(outgoing);
  const status = incoming.statusCode ?? 502;
  if (onSuccess && status < 300) await onSuccess();
  response.writeHead(status, incoming.statusMessage, withoutConnection(incoming.headers));
  // A stream may have nothing to say for long, and its reader has to know that it is there.
  response.flushHeaders();
  await new Promise<void>((resolve) => {
    // A body that breaks off ends the response as well.
    pipeline(incoming, response, () => resolve());
  });
}

/** Passes on a request for another protocol, such as WebSocket, and connects both ends when the server agrees. */
export async function forwardUpgrade(
  request: http.IncomingMessage,
  socket: Duplex,
  head: Buffer,
  sandbox: Sandbox,
  path: string,
): Promise<void> {
  const release = sandbox.use();
  socket.once("close", release);
  const outgoing = send(request, sandbox, path, request.headers);
  socket.once("close", () => outgoing.destroy());
  outgoing.end();
  const upgraded = Promise.withResolvers<void>();
  outgoing.once("upgrade", (incoming, inner: Duplex, innerHead: Buffer) => {
    socket.write(`${headOf(incoming)}\r\n`);
    if (innerHead.length > 0) socket.write(innerHead);
    if (head.length > 0) inner.write(head);
    socket.pipe(inner).pipe(socket);
    // If either end fails or closes, the other is closed too; that reports the failure.
    for (const [end, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      end.on("error", () => undefined);
      end.once("close", () => other.destroy());
    }
    upgraded.resolve();
  });
  outgoing.once("response", (incoming) => {
    // Close the connection after the response: later requests on it would reach the sandbox unchecked.
    const answered = headOf(incoming, CONNECTION_HEADERS);
    socket.write(`${answered}connection: close\r\n\r\n`);
    pipeline(incoming, socket, () => socket.destroy());
    upgraded.resolve();
  });
  outgoing.once("error", (error) => upgraded.reject(lost(error)));
  await upgraded.promise;
}

function send(
  request: http.IncomingMessage,
  sandbox: Sandbox,
  path: string,
  headers: http.OutgoingHttpHeaders,
): http.ClientRequest {
  const isUpgrade = headers["upgrade"] !== undefined;
  return http.request({
    socketPath: sandbox.socketPath,
    agent: isUpgrade ? false : sandbox.agent,
    method: request.method,
    path,
    headers: { ...headers, ...sandbox.secretHeader },
  });
}

function answerTo(outgoing: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.on("error", (error) => reject(lost(error)));
  });
}

/** Formats the status line and headers for the wire. */
function headOf(
  { statusCode, statusMessage, headersDistinct }: http.IncomingMessage,
  without: ReadonlySet<string> = new Set(),
): string {
  const lines = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    without.has(name) ? [] : values.map((value) => `${name}: ${value}\r\n`),
  );
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join("")}`;
}
