import { AppError } from "#src/lib/errors.ts";
import { decodeFrame, encodeFrame, FromShell } from "#src/shell/frames.ts";
import type { Job, JobResult, WithBytes } from "#src/shell/job.ts";
import type { CommandRunner, Ended, RunOptions } from "./command-runner.ts";
import { Ending, GRACE_MS } from "./ending.ts";
import { CLOSED_BY, LIMIT_PARAMETER, PROJECT_PARAMETER } from "./protocol.ts";
import { Turns } from "./turns.ts";

/** Most concurrent calls of one job on the project's files: each may have a file in memory. */
const CALLS_AT_ONCE = 8;
const ENDED = 1000;
/**
 * Connection attempts. A runner that refuses connections is being restarted, or has died just before this process:
 * neither is a failure of the command, which has not begun.
 */
const CONNECTING_ATTEMPTS = 6;
const CONNECTING_PAUSE_MS = 500;

type Outcome = WithBytes<JobResult | Ended>;

/** The runner of `npm start`: a separate process for each command, connected by a WebSocket. */
export function socketRunner(url: string): CommandRunner {
  return {
    check() {},
    async run(job, options) {
      const ending = new Ending(options);
      try {
        const socket = await open(url, options, ending);
        return socket ? await converse(socket, job, options, ending) : ending.outcome({ waited: true });
      } finally {
        ending.release();
      }
    },
  };
}

/** `undefined` when the job had to end before there was a free place. */
async function open(
  url: string,
  { project, timeoutMs }: RunOptions,
  ending: Ending,
): Promise<WebSocket | undefined> {
  const query = new URLSearchParams({ [PROJECT_PARAMETER]: project });
  if (timeoutMs !== undefined) query.set(LIMIT_PARAMETER, String(timeoutMs + 2 * GRACE_MS));
  // A separate signal: if the job's own signal aborted later, it would close the connection and lose the job's last
  // output.
  const opening = new AbortController();
  let isOpen = false;
  ending.onRequest(() => isOpen || opening.abort());
  const init = { headers: { Upgrade: "websocket" }, signal: opening.signal };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(`${url}?${query.toString()}`, init);
      isOpen = true;
      if (response.webSocket) return response.webSocket;
      throw new Error(`The command runner returned ${response.status}: ${await response.text()}`);
    } catch (cause) {
      if (opening.signal.aborted) return undefined;
      const isLast = isOpen || attempt === CONNECTING_ATTEMPTS;
      if (isLast) throw new AppError("unavailable", "The command could not be started; try again", { cause });
      await new Promise((resolve) => setTimeout(resolve, CONNECTING_PAUSE_MS));
    }
  }
}

async function converse(
  socket: WebSocket,
  { value: job, bytes }: WithBytes<Job>,
  { callFiles, timeoutMs }: RunOptions,
  ending: Ending,
): Promise<Outcome> {
  socket.binaryType = "arraybuffer";
  socket.accept();
  const turns = new Turns(CALLS_AT_ONCE);
  const send: typeof encodeFrame = (...message) => {
    const frame = encodeFrame(...message);
    if (socket.readyState === WebSocket.OPEN) socket.send(frame);
    return frame;
  };
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      socket.addEventListener("message", ({ data }) => {
        if (!(data instanceof ArrayBuffer)) return;
        const { message, bytes: sent } = decodeFrame(new Uint8Array(data), FromShell);
        if (message.kind === "result") return resolve({ value: message.result, bytes: sent });
        void turns.take(async () => {
          const { answer, bytes: found } = await callFiles(message.call, sent);
          send({ kind: "answer", id: message.id, answer }, found);
        });
      });
      const lost = new AppError(
        "unavailable",
        "The command was interrupted: its process was lost, and what it did is unknown",
      );
      socket.addEventListener("close", ({ code }) => {
        if (code === CLOSED_BY.memory) resolve({ value: { kind: "ended", why: "memory", waited: false } });
        else reject(lost);
      });
      socket.addEventListener("error", () => reject(lost));
      // The runner enforces the timeout itself.
      ending.onRequest(() => ending.why === "cancelled" && send({ kind: "cancel" }));
      ending.onDeadline(() => resolve(ending.outcome({ waited: false })));
      const left = job.kind === "command" && timeoutMs !== undefined ? { timeoutMs: ending.leftMs } : {};
      send({ kind: "job", job: { ...job, ...left } }, bytes);
    });
  } finally {
    // Closing kills the process, unless the job is over.
    socket.close(ENDED);
  }
}
