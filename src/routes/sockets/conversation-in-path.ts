import type { Hono } from "hono";
import { z } from "zod";
import { isAuthorized } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { ChatClientFrame, UPLOAD_FIRST } from "#src/http/chat-message.ts";
import type { AppEnv } from "#src/http/context.ts";
import { credentialsOf } from "#src/http/credentials.ts";
import { identify, refuse, requireUpgrade, type Socket } from "#src/http/socket.ts";
import { POLICY } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Services } from "#src/services.ts";
import { ChatServerFrame } from "#src/wire/sockets.ts";
import { NO_WISH } from "./query.ts";
import { isShownShared, resumed } from "./resumed.ts";

/** The path contains the token, as existing clients send it: see `http/logged-path.ts`. */
const PATH = "/api/chat/ws/:token";
/** How long a client may take to name its project. */
const FIRST_FRAME_MS = 10_000;
/** Most characters of a frame, and of all frames before the project's object takes over the socket. */
const MAX_WAITING = 64 * 1024;

const FirstFrame = z.object({ project_id: z.string().max(200) });
const Resume = z.object({
  type: z.literal("resume"),
  task_id: z.uuid(),
  last_event_id: z.coerce.number().int().nonnegative().default(0),
});

/**
 * A project's chats for clients that name the project in their first frame, of any type. From then on the socket
 * behaves as `/ws/chat/{project}`.
 */
export const conversationInPathSocket: Socket = {
  path: PATH,
  summary: "Open chats with a token",
  description:
    "As `/ws/chat/{project}`, for clients that name the project in their first frame, as `project_id`.",
  frames: { client: ChatClientFrame, server: ChatServerFrame },
  mount(app: Hono<AppEnv>) {
    app.get(PATH, (c) => {
      requireUpgrade(c.req.raw);
      const { 0: client, 1: server } = new WebSocketPair();
      // Half open, so that the project's object answers the client's close.
      server.accept({ allowHalfOpen: true });
      c.executionCtx.waitUntil(serve(c.get("services"), server, c.req.param("token"), c.req.query()));
      return new Response(null, { status: 101, webSocket: client });
    });
  },
};

async function serve(
  services: Services,
  client: WebSocket,
  token: string,
  query: Readonly<Record<string, string>>,
): Promise<void> {
  const waiting = new Waiting(client);
  try {
    const { caller, standing } = await identify(services, credentialsOf(token));
    const first = await waiting.first();
    if (first === undefined) return;
    const named = safeParseJson(first, FirstFrame)?.value;
    if (!named) throw new AppError("invalid_input", "The first frame carries the project_id");
    const { id, role } = await requireProject(services, caller, named.project_id, "chat.view");
    const asked = resumedBy(first);
    const resume = [...resumed(query), ...asked];
    const shared = isShownShared(query);
    const readsFiles = isAuthorized(caller, "file.read", role);
    const who = { userId: caller.userId, standing, readsFiles, shared };
    const opening = { kind: "conversation", ...who, wish: NO_WISH, resume } as const;
    // A first frame that resumes is in the opening. Handled again, it would repeat the events of a task that has ended since.
    await services.sockets.join(id, opening, client, () => waiting.end().slice(asked.length));
  } catch (error) {
    if (!(error instanceof AppError)) services.log.error("socket failed", { path: PATH, cause: error });
    waiting.end();
    // An invalid first frame is the client's error, so the close code tells it not to retry.
    refuse(client, error, error instanceof AppError && error.code === "invalid_input" ? POLICY : undefined);
  }
}

/**
 * Options for a client that resumes in its first frame, as for one that resumes by the address: events that it has are
 * not sent twice.
 */
function resumedBy(first: string) {
  const frame = safeParseJson(first, Resume)?.value;
  return frame ? [{ taskId: frame.task_id, after: frame.last_event_id }] : [];
}

/** Frames that the client sends before the project's object has its socket. */
class Waiting {
  readonly #client: WebSocket;
  readonly #frames: string[] = [];
  readonly #first = Promise.withResolvers<string | undefined>();
  readonly #listener: (event: MessageEvent) => void;
  readonly #leave = () => this.#first.resolve(undefined);
  #chars = 0;

  constructor(client: WebSocket) {
    this.#client = client;
    this.#listener = ({ data }) => this.#take(data);
    client.addEventListener("message", this.#listener);
    client.addEventListener("close", this.#leave);
    client.addEventListener("error", this.#leave);
    // Prevents an unhandled rejection while nothing awaits the promise.
    this.#first.promise.catch(() => undefined);
  }

  /** The first frame; undefined for a client that left. Throws `invalid_input` when none arrives in time. */
  async first(): Promise<string | undefined> {
    const timer = setTimeout(() => {
      const error = new AppError(
        "invalid_input",
        "The first frame must arrive within 10 s and carry the project_id",
      );
      this.#first.reject(error);
    }, FIRST_FRAME_MS);
    try {
      return await this.#first.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns all frames so far, in order, and stops collecting. */
  end(): string[] {
    this.#client.removeEventListener("message", this.#listener);
    return this.#frames.splice(0);
  }

  #take(data: unknown): void {
    const chars = typeof data === "string" ? data.length : Number.POSITIVE_INFINITY;
    this.#chars += chars;
    if (typeof data !== "string" || this.#chars > MAX_WAITING) {
      const limit = `Frames are text of at most ${MAX_WAITING} characters`;
      const error = new AppError("invalid_input", `${limit}; ${UPLOAD_FIRST}`);
      refuse(this.#client, error, POLICY);
      return this.#leave();
    }
    this.#frames.push(data);
    this.#first.resolve(data);
  }
}
