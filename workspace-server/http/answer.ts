import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "#src/lib/errors.ts";
import { ERROR_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";
import { proxyToPort } from "../ports/proxy.ts";
import { Streamed } from "./exchange.ts";
import type { Router } from "./router.ts";
import type { SecretCheck } from "./secret.ts";

/** A caller reads a refusal only after it has sent its body; if more than this remains, the connection is closed. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;

/** Responds to one request. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { route, checkSecret }: { route: Router; checkSecret: SecretCheck },
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    checkSecret(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://workspace");
    if (pathname.startsWith("/port/")) {
      await proxyToPort(request, response);
      return;
    }
    const found = route(request.method ?? "", pathname);
    if (!found) throw new AppError("not_found", "No such call");
    const exchange = { params: found.params, query: searchParams, body: request, gone: gone.signal };
    await send(response, await found.route.handle(exchange));
  } catch (error) {
    if (response.headersSent) response.destroy();
    else await refuse(request, response, error);
  }
}

async function send(response: ServerResponse, value: unknown): Promise<void> {
  if (!(value instanceof Streamed)) {
    const json = value === undefined ? "" : JSON.stringify(value);
    response.writeHead(200, { "content-type": "application/json" }).end(json);
    return;
  }
  const { body, headers, size } = value;
  response.writeHead(200, {
    "content-type": "application/octet-stream",
    ...(size !== undefined && { "content-length": size }),
    ...headers,
  });
  // Send the headers at once, so that the caller knows that the stream exists.
  response.flushHeaders();
  await pipeline(size === undefined ? [body, response] : [body, ofSize(size), response]);
}

/** Passes bytes on, and fails at the end when their number differs from the announced one. */
function ofSize(size: number): Transform {
  let left = size;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      left -= chunk.byteLength;
      done(null, chunk);
    },
    flush: (done) => done(left === 0 ? null : new Error("The content changed its size")),
  });
}

/** Responds with a failure: its own sentence if it is a known one, otherwise a general sentence. */
async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
  // The caller has disconnected, which is not an error.
  if (response.destroyed || response.socket?.destroyed) return;
  const known = error instanceof AppError ? error : new AppError("internal", "The workspace failed");
  if (error !== known) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  // A caller without the secret may send nothing further.
  const isDrained = known.code !== "unauthenticated" && (await drain(request));
  if (response.destroyed) return;
  response
    .writeHead(known.status, {
      "content-type": "application/json",
      [ERROR_HEADER]: known.code,
      ...(!isDrained && { connection: "close" }),
    })
    .end(JSON.stringify({ code: known.code, message: known.message }));
}

/** Reads and drops the rest of a body. */
async function drain(request: IncomingMessage): Promise<boolean> {
  let drained = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      drained += chunk instanceof Uint8Array ? chunk.byteLength : 0;
      if (drained > MAX_DRAINED_BYTES) return false;
    }
  } catch {
    return false;
  }
  return true;
}
