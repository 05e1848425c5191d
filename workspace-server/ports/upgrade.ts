import { request as httpRequest, STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "#src/lib/errors.ts";
import { ERROR_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";
import type { SecretCheck } from "../http/secret.ts";
import { endToEnd, nobodyListens, requestOptions, targetOf } from "./proxy.ts";

/** Passes a WebSocket (or any other upgrade) to a program's port: once the program agrees, bytes pass unchanged. */
export function upgradeToPort(
  request: IncomingMessage,
  { socket, head, checkSecret }: { socket: Duplex; head: Buffer; checkSecret: SecretCheck },
): void {
  socket.on("error", () => socket.destroy());
  let target: { port: number; path: string };
  try {
    checkSecret(request);
    target = targetOf(request);
  } catch (error) {
    refuse(socket, error);
    return;
  }
  const { upgrade = "" } = request.headers;
  const outgoing = httpRequest(requestOptions(request, target, { connection: "Upgrade", upgrade }));
  socket.once("close", () => outgoing.destroy());
  outgoing.once("upgrade", (answer: IncomingMessage, upstream: Duplex, first: Buffer) => {
    socket.write(
      headOf(answer, [...endToEnd(answer), "Connection", "Upgrade", "Upgrade", answer.headers.upgrade ?? ""]),
    );
    socket.write(first);
    upstream.write(head);
    void Promise.all([pipeline(socket, upstream), pipeline(upstream, socket)]).catch(() => {
      socket.destroy();
      upstream.destroy();
    });
  });
  outgoing.once("response", (answer) => {
    socket.write(headOf(answer, [...endToEnd(answer), "Connection", "close"]));
    void pipeline(answer, socket).catch(() => socket.destroy());
  });
  outgoing.once("error", (error) => refuse(socket, nobodyListens(target.port, error)));
  outgoing.end();
}

function headOf({ statusCode = 502, statusMessage = "" }: IncomingMessage, headers: string[]): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function refuse(socket: Duplex, error: unknown): void {
  if (socket.destroyed) return;
  const { code, status, message } =
    error instanceof AppError ? error : new AppError("internal", "The workspace failed");
  const body = JSON.stringify({ code, message });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `${ERROR_HEADER}: ${code}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
