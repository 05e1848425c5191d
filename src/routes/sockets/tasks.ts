import type { Hono } from "hono";
import { z } from "zod";
import { renewCaller, type StoredCaller } from "#src/domain/access/permissions/index.ts";
import {
  listBackgroundTasks,
  type BackgroundTask as StoredTask,
} from "#src/domain/workspaces/background-tasks/index.ts";
import type { AppEnv } from "#src/http/context.ts";
import { credentialsOf, type Credentials } from "#src/http/credentials.ts";
import { cookieOfOwnPage, identify, refusal, requireUpgrade, type Socket } from "#src/http/socket.ts";
import { FAILED, POLICY, sentenceOf } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Services } from "#src/services.ts";
import { PingFrame, PongFrame } from "#src/wire/sockets.ts";
import { BackgroundTask, describeTask } from "../background-tasks/background-task.ts";

const PATH = "/api/tasks/ws";
/** How long a client may take to authenticate. */
const FIRST_FRAME_MS = 10_000;
const FIRST = 'The first frame is {"token": "Bearer <token>"}, within 10 s';
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

const FirstFrame = z
  .object({ token: z.string().max(4_096).describe("The access token, with or without `Bearer`") })
  .meta({ id: "TasksFirstFrame" });
const TasksClientFrame = z.union([FirstFrame, PingFrame]).meta({ id: "TasksClientFrame" });

const TasksServerFrame = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("task_update"), task: BackgroundTask }).meta({ id: "TaskUpdateFrame" }),
    z.object({ type: z.literal("error"), message: z.string() }).meta({ id: "TasksErrorFrame" }),
    PongFrame,
  ])
  .meta({ id: "TasksServerFrame" });
type TasksServerFrame = z.input<typeof TasksServerFrame>;

/**
 * A person's background tasks and their changes. The token may be in the first frame, so the socket is accepted before
 * the person is known and no Durable Object can be chosen. An object would not help: the socket polls every second, so
 * the object could never hibernate.
 */
export const taskSocket: Socket = {
  path: PATH,
  summary: "Follow background tasks",
  description:
    "The caller's background tasks and their changes. The first frame carries the access token. The service's own pages, the console's and those of CORS_ORIGINS need none: a valid session cookie signs them in at once. Their `ping` is answered then, and closes the socket when the cookie is not valid. A token that comes nevertheless takes its place.",
  frames: { client: TasksClientFrame, server: TasksServerFrame },
  mount(app: Hono<AppEnv>) {
    app.get(PATH, async (c) => {
      requireUpgrade(c.req.raw);
      const services = c.get("services");
      try {
        const byCookie = await standingByCookie(services, cookieOfOwnPage(c));
        const { 0: client, 1: server } = new WebSocketPair();
        server.accept();
        c.executionCtx.waitUntil(serve(services, server, byCookie));
        return new Response(null, { status: 101, webSocket: client });
      } catch (error) {
        if (!(error instanceof AppError)) services.log.error("task socket failed", { cause: error });
        return refusal(error);
      }
    });
  },
};

/** Undefined without a valid cookie: existing clients send a token, also beside an old cookie. */
async function standingByCookie(
  services: Services,
  cookie: Credentials | undefined,
): Promise<StoredCaller | undefined> {
  if (!cookie) return undefined;
  try {
    return (await identify(services, cookie)).standing;
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return undefined;
    throw error;
  }
}

async function serve(
  services: Services,
  socket: WebSocket,
  byCookie: StoredCaller | undefined,
): Promise<void> {
  const gone = new AbortController();
  socket.addEventListener("close", () => gone.abort());
  socket.addEventListener("error", () => gone.abort());
  const named = new AbortController();
  const token = tokenIn(socket, { isAdmitted: byCookie !== undefined, gone: gone.signal, named });
  try {
    if (byCookie) await watch(services, socket, byCookie, AbortSignal.any([gone.signal, named.signal]));
    if (!byCookie || named.signal.aborted) {
      const given = await token;
      if (given === undefined) throw new AppError("unauthenticated", FIRST);
      const { standing } = await identify(services, credentialsOf(given));
      await watch(services, socket, standing, gone.signal);
    }
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
 * The token that the client sends; `named` is aborted when it comes. Other frames are answered once the client is admitted.
 * Of a client that is not, the first frame has to carry the token, in time. Otherwise, and for a client that leaves,
 * undefined.
 */
async function tokenIn(
  socket: WebSocket,
  { isAdmitted, gone, named }: { isAdmitted: boolean; gone: AbortSignal; named: AbortController },
): Promise<string | undefined> {
  const token = await new Promise<string | undefined>((resolve) => {
    const timer = isAdmitted ? undefined : setTimeout(() => resolve(undefined), FIRST_FRAME_MS);
    const done = (value: string | undefined) => {
      clearTimeout(timer);
      resolve(value);
    };
    socket.addEventListener("message", ({ data }) => {
      if (named.signal.aborted) return answer(socket, data);
      const frame = typeof data === "string" ? safeParseJson(data, FirstFrame) : undefined;
      if (!frame && isAdmitted) return answer(socket, data);
      if (frame) named.abort();
      return done(frame?.value.token);
    });
    gone.addEventListener("abort", () => done(undefined), { once: true });
  });
  return token?.replace(/^Bearer\s+/iu, "");
}

/** Sends each new or changed task until the signal: when the client leaves, or sends a token. */
async function watch(
  services: Services,
  socket: WebSocket,
  standing: StoredCaller,
  until: AbortSignal,
): Promise<void> {
  const renew = () => renewCaller(services, standing);
  let caller = await renew();
  const known = new Map<string, string>();
  for (let look = 0; look < MAX_LOOKS && !until.aborted; look += 1) {
    if (look % CHECK_EVERY === CHECK_EVERY - 1) caller = await renew();
    const tasks = await listBackgroundTasks(services, caller, { open: false, limit: LIMIT });
    if (until.aborted) return;
    const isFirst = look === 0;
    for (const task of tasks.toReversed()) {
      const text = textOf({ type: "task_update", task: describeTask(task) });
      // Tasks that ended before the client connected are not sent.
      const isNews = isFirst ? isOpen(task) : known.get(task.id) !== text;
      known.set(task.id, text);
      if (isNews) socket.send(text);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const isOpen = ({ status }: StoredTask) => status === "queued" || status === "running";

function answer(socket: WebSocket, data: unknown): void {
  if (typeof data !== "string" || data.length > MAX_FRAME) return close(socket, POLICY);
  if (safeParseJson(data, PingFrame)) send(socket, { type: "pong" });
}

function send(socket: WebSocket, frame: TasksServerFrame): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(textOf(frame));
}

const textOf = (frame: TasksServerFrame) => JSON.stringify(frame);

function close(socket: WebSocket, { code, reason }: { code: number; reason: string }): void {
  if (socket.readyState === WebSocket.OPEN) socket.close(code, reason);
}
