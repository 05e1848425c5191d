import type { Hono } from "hono";
import { z } from "zod";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { UPLOAD_FIRST } from "#src/http/chat-message.ts";
import type { AppEnv } from "#src/http/context.ts";
import { credentialsOf } from "#src/http/credentials.ts";
import { identify, refuse, requireUpgrade, type Socket } from "#src/http/socket.ts";
import { POLICY } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Services } from "#src/services.ts";
import { NO_WISH } from "./query.ts";
import { resumed } from "./resumed.ts";

/** The token stands in the path, as existing clients send it: see `http/logged-path.ts`. */
const PATH = "/api/chat/ws/:token";
/** How long a client may take to say which project it is about. */
const FIRST_FRAME_MS = 10_000;
/** Characters of a frame, and of all that come before the project's object has the socket. */
const MAX_WAITING = 64 * 1024;

const FirstFrame = z.object({ project_id: z.string().max(200) });
const Resume = z.object({
  type: z.literal("resume"),
  task_id: z.uuid(),
  last_event_id: z.coerce.number().int().nonnegative().default(0),
});

/**
 * The chats of a project for clients that name it in their first frame, whatever that frame is. From then on it is the same
 * socket as that of `/ws/chat/{project}`. Source: projects-chat.md, section 13.
 */
export const conversationInPathSocket: Socket = {
  path: PATH,
  mount(app: Hono<AppEnv>) {
    app.get(PATH, (c) => {
      requireUpgrade(c.req.raw);
      const { 0: client, 1: server } = new WebSocketPair();
      // Half open, so that the answer to the client's close is the object's.
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
    const { id } = await requireProject(services, caller, named.project_id, "chat.view");
    const resume = [...resumed(query), ...resumedBy(first)];
    const opening = { kind: "conversation", userId: caller.userId, standing, wish: NO_WISH, resume } as const;
    await services.sockets.join(id, opening, client, () => waiting.end());
  } catch (error) {
    if (!(error instanceof AppError)) services.log.error("socket failed", { path: PATH, cause: error });
    waiting.end();
    // What is wrong with a first frame is a fault of the client's, which is not to try again.
    refuse(client, error, error instanceof AppError && error.code === "invalid_input" ? POLICY : undefined);
  }
}

/** A client that begins with what it has a part of, in its first frame as on the address, gets nothing of that twice. */
function resumedBy(first: string) {
  const frame = safeParseJson(first, Resume)?.value;
  return frame ? [{ taskId: frame.task_id, after: frame.last_event_id }] : [];
}

/** What a client sends until the project's object has its socket. */
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
    // Nobody may be waiting yet.
    this.#first.promise.catch(() => undefined);
  }

  /** The first frame; undefined for a client that left. Throws `invalid_input` when none comes in time. */
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

  /** All that came, in order; what comes from now on is for others. */
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
