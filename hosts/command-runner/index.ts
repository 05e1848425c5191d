import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import type { Duplex } from "node:stream";
import type * as ws from "ws";
import { sameText } from "#local/same-text.ts";
import { serve } from "#local/serve.ts";
import { CLOSED_BY, LIMIT_PARAMETER, PROJECT_PARAMETER } from "#src/platform/command-runner/protocol.ts";
import { poolSize, ProcessPool, type Lease, type PoolSize } from "./pool.ts";
import { makeShellProgram } from "./shell-program.ts";

// Loaded with `require`, so that tests that build for workerd do not get the browser version, which has no server.
const { WebSocketServer }: typeof ws = createRequire(import.meta.url)("ws");

/** Largest frame: a file of 16 MiB, or a result with all files that a session keeps beside the project. */
const MAX_FRAME_BYTES = 48 * 1024 * 1024;
const ENDED = 1000;
/** Longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Runs the commands of the `embedded` runtime, each in a process that can be killed: an emulated command computes
 * without a break and would block every request in the Worker's process. A connection carries one job, and its end
 * kills the process. `url`, for COMMAND_RUNNER_URL, contains an unguessable token, so that other programs on the
 * machine cannot use the runner.
 */
export async function startCommandRunner(options: {
  /** Folder for the processes' program. */
  dir: string;
  size?: PoolSize;
}): Promise<{ url: string; close: () => Promise<void> }> {
  const program = path.join(options.dir, "shell.packed");
  await makeShellProgram(program);
  const pool = new ProcessPool(program, options.size ?? poolSize());
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  const token = randomBytes(32).toString("hex");
  const { url, close } = await serve((_request, response) => void response.writeHead(404).end(), {
    onUpgrade: (request, socket, head) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://runner");
      const project = searchParams.get(PROJECT_PARAMETER);
      if (!sameText(pathname, `/${token}`) || !project) return refuse(socket, 404, "Not found");
      const limitMs = Math.min(Number(searchParams.get(LIMIT_PARAMETER)) || LONGEST_MS, LONGEST_MS);
      void connect({ request, socket, head, project, limitMs });
    },
  });

  async function connect(asked: {
    request: IncomingMessage;
    socket: Duplex;
    head: Buffer;
    project: string;
    limitMs: number;
  }): Promise<void> {
    const { request, socket, head, project, limitMs } = asked;
    const gone = hangUp(socket);
    try {
      const lease = await pool.take(project, gone.signal);
      gone.ignore();
      // The connection was closed meanwhile: the library would not report it.
      if (gone.signal.aborted || socket.destroyed) return lease.release({ idle: true });
      sockets.handleUpgrade(request, socket, head, (connection) => relay(connection, lease, limitMs));
    } catch {
      refuse(socket, 503, "No process for the command could be started");
    }
  }

  return {
    url: `${url}/${token}`,
    close: async () => {
      pool.close();
      await close();
    },
  };
}

/** Relays frames until the job or the connection is over. */
function relay(connection: ws.WebSocket, lease: Lease, limitMs: number): void {
  const { process } = lease;
  let isIdle = false;
  const limit = setTimeout(() => connection.terminate(), limitMs);
  connection.on("error", () => connection.terminate());
  connection.on("message", (frame) => {
    if (frame instanceof Uint8Array && !isIdle) process.send(frame);
  });
  connection.on("close", () => {
    clearTimeout(limit);
    lease.release({ idle: isIdle });
  });
  process.listen({
    onFrame: (frame) => connection.send(frame),
    onIdle: () => {
      isIdle = true;
      lease.release({ idle: true });
      connection.close(ENDED);
    },
    onEnd: (why) => connection.close(CLOSED_BY[why]),
  });
}

/** Returns a signal that aborts when a connection from which nothing was read ends. */
function hangUp(socket: Duplex): { signal: AbortSignal; ignore: () => void } {
  const controller = new AbortController();
  const end = () => controller.abort(new Error("The caller has gone"));
  socket.on("error", () => socket.destroy());
  socket.once("end", end).once("close", end);
  // The end is noticed only while the socket is read. A client sends nothing before the response.
  socket.resume();
  return {
    signal: controller.signal,
    ignore: () => void socket.off("end", end).off("close", end),
  };
}

function refuse(socket: Duplex, status: number, sentence: string): void {
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(sentence)}\r\n` +
      `connection: close\r\n\r\n${sentence}`,
  );
}
