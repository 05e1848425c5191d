import type { Hono } from "hono";
import { z } from "zod";
import { renewCaller } from "#src/domain/organisations/access/index.ts";
import { listBackgroundTasks, type BackgroundTask } from "#src/domain/operations/background-tasks/index.ts";
import type { AppEnv } from "#src/http/context.ts";
import { credentialsOf } from "#src/http/credentials.ts";
import { identify, requireUpgrade, type Socket } from "#src/http/socket.ts";
import { FAILED, POLICY, sentenceOf } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Services } from "#src/services.ts";
import { describeTask } from "../background-tasks/background-task.ts";

const PATH = "/api/tasks/ws";
/** How long a client may take to authenticate. */
const FIRST_FRAME_MS = 10_000;
const LOOK_MS = 1_000;
/** Polls between two access checks: half a minute. */
const CHECK_EVERY = 30;
/**
 * A Worker's request may make a thousand subrequests. The socket then closes; clients reconnect and receive the tasks
 * in progress again.
 */
const MAX_LOOKS = 800;
/** Most tasks of a person that are polled, the newest. */
const LIMIT = 50;
const MAX_FRAME = 8 * 1024;

const FirstFrame = z.object({ token: z.string().max(4_096) });
const Ping = z.object({ type: z.literal("ping") });

/**
 * A person's background tasks and their changes. The token is in the first frame, so the socket is accepted before the
 * person is known and no Durable Object can be chosen. An object would not help: the socket polls every second, so the
 * object could never hibernate.
 */
export const taskSocket: Socket = {
  path: PATH,
  mount(app: Hono<AppEnv>) {
    app.get(PATH, (c) => {
      requireUpgrade(c.req.raw);
      const { 0: client, 1: server } = new WebSocketPair();
      server.accept();
      const services = c.get("services");
      c.executionCtx.waitUntil(serve(services, server));
      return new Response(null, { status: 101, webSocket: client });
    });
  },
};

async function serve(services: Services, socket: WebSocket): Promise<void> {
  const gone = new AbortController();
  socket.addEventListener("close", () => gone.abort());
  socket.addEventListener("error", () => gone.abort());
  try {
    const token = await firstToken(socket, gone.signal);
    const { standing } = await identify(services, credentialsOf(token.replace(/^Bearer\s+/iu, "")));
    await watch(services, socket, () => renewCaller(services, standing), gone.signal);
    close(socket, { code: 1001, reason: "connect again" });
  } catch (error) {
    if (gone.signal.aborted) return;
    const isRefused = error instanceof AppError && !error.retryable;
    if (!isRefused) services.log.error("task socket failed", { cause: error });
    send(socket, { type: "error", message: sentenceOf(error) });
    close(socket, isRefused ? POLICY : FAILED);
  }
}

/**
 * The token in the first frame; later frames are answered. Throws `unauthenticated` for any other first frame and for
 * none.
 */
async function firstToken(socket: WebSocket, gone: AbortSignal): Promise<string> {
  const text = await new Promise<unknown>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), FIRST_FRAME_MS);
    let isNamed = false;
    const done = (value: unknown) => {
      clearTimeout(timer);
      isNamed = true;
      resolve(value);
    };
    socket.addEventListener("message", ({ data }) => (isNamed ? answer(socket, data) : done(data)));
    gone.addEventListener("abort", () => done(undefined), { once: true });
  });
  const frame = typeof text === "string" ? safeParseJson(text, FirstFrame) : undefined;
  if (!frame)
    throw new AppError("unauthenticated", 'The first frame is {"token": "Bearer <token>"}, within 10 s');
  return frame.value.token;
}

/** Sends each new or changed task until the client leaves. */
async function watch(
  services: Services,
  socket: WebSocket,
  renew: () => ReturnType<typeof renewCaller>,
  gone: AbortSignal,
): Promise<void> {
  let caller = await renew();
  const known = new Map<string, string>();
  for (let look = 0; look < MAX_LOOKS && !gone.aborted; look += 1) {
    if (look % CHECK_EVERY === CHECK_EVERY - 1) caller = await renew();
    const tasks = await listBackgroundTasks(services, caller, { open: false, limit: LIMIT });
    const isFirst = look === 0;
    for (const task of tasks.toReversed()) {
      const text = JSON.stringify({ type: "task_update", task: describeTask(task) });
      // Tasks that ended before the client connected are not sent.
      const isNews = isFirst ? isOpen(task) : known.get(task.id) !== text;
      known.set(task.id, text);
      if (isNews) socket.send(text);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const isOpen = ({ status }: BackgroundTask) => status === "queued" || status === "running";

function answer(socket: WebSocket, data: unknown): void {
  if (typeof data !== "string" || data.length > MAX_FRAME) return close(socket, POLICY);
  if (safeParseJson(data, Ping)) send(socket, { type: "pong" });
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
}

function close(socket: WebSocket, { code, reason }: { code: number; reason: string }): void {
  if (socket.readyState === WebSocket.OPEN) socket.close(code, reason);
}
