import { z } from "zod";
import { Standing } from "#src/domain/organisations/access/index.ts";

/** What the people who have a project open are told while it changes. */
export type ProjectNotice =
  | { type: "idle_warning"; minutes_until_shutdown: number; message: string }
  | { type: "environment_stopping"; message: string }
  | { type: "environment_stopped"; reason: string; message: string }
  | { type: "volume_restoring" | "volume_ready"; message: string }
  /** How far a start or a stop is, in percent. */
  | { container_status: string; phase: string; progress: number; message: string };

/** What callers of the `ProjectSockets` object may rely on; one object per project, by the project's id. */
export interface ProjectSocketsObject extends Rpc.DurableObjectBranded {
  /** Tell every person who has a socket open at this moment; nothing is kept for others. */
  notify(notice: ProjectNotice): void;
  /** An agent works on this task from now on: the sockets of the person who asked for it show it. */
  taskBegan(taskId: string): void;
  /**
   * Open a socket, for a person whose access was checked: the request carries an `Opening` in `OPENING_HEADER`. 101 with the
   * socket; where the person has too many, 409 for `events`, and a socket that says so and closes for other kinds.
   */
  fetch(request: Request): Promise<Response>;
}

/** Carries an `Opening`, as JSON in percent encoding, with the request that opens a socket. */
export const OPENING_HEADER = "x-socket-opening";

/**
 * What a socket is for: a terminal, the logs of containers, both beside a chat, the chats themselves (their frames are in
 * `chat/frames.ts`), or only the events of their tasks, which a Worker reads for a client of Server-Sent Events.
 */
const Kind = z.enum(["terminal", "logs", "chat", "conversation", "events"]);
export type Kind = z.output<typeof Kind>;

/** Sockets of these kinds are shown what the agents of the project do. */
export const isShownTasks = (kind: Kind) => kind === "conversation" || kind === "events";

/** What a person who opens a terminal asks for. */
const TerminalWish = z.object({
  /** `ctr:<container id>`, `ephemeral` or `environment`; null leaves the choice to the project or its user. */
  target: z.string().nullable(),
  /** A session to go on with, and up to which byte of its output the client has it. */
  session: z.string().nullable(),
  position: z.number().int().nonnegative().nullable(),
  columns: z.number().int(),
  rows: z.number().int(),
});
export type TerminalWish = z.output<typeof TerminalWish>;

/** A task whose events a person has up to an id, and wants the rest of. */
const Resume = z.object({ taskId: z.string(), after: z.number().int().nonnegative() });
export type Resume = z.output<typeof Resume>;

/** A task that a socket shows. */
const Followed = z.object({
  taskId: z.string(),
  chatId: z.string(),
  /** Id of the last event that was sent. */
  after: z.number(),
  /** Whether its events are shown bare: to the socket that began it or asked for it; else as `agent_event`. */
  direct: z.boolean(),
  /** The last event was a question: nothing comes until a person has answered. */
  asking: z.boolean(),
});
export type Followed = z.output<typeof Followed>;

/** A socket to be opened, for a person who was let in. */
export const Opening = z.object({
  kind: Kind,
  userId: z.string(),
  standing: Standing,
  wish: TerminalWish,
  /** Where tasks are shown: what it goes on with. */
  resume: z.array(Resume).optional(),
  /** Tasks that it has to their end. Where this is given, what was begun after all that it knows is shown, too. */
  shown: z.array(z.string()).optional(),
});
export type Opening = z.output<typeof Opening>;

/** Of a terminal: the session it shows, once there is one, and the position after what was sent of its output. */
const TerminalState = TerminalWish.extend({
  phase: z.enum(["choosing", "opening", "open"]),
});
export type TerminalState = z.output<typeof TerminalState>;

/** What a socket keeps over the object's eviction; at most 16 KiB as the platform counts. */
export const SocketState = Opening.omit({ wish: true, resume: true, shown: true }).extend({
  /** When access was last found to be good. */
  checkedAt: z.number(),
  terminal: TerminalState.nullable(),
  /** The container whose log is shown, and the last line that was sent of it. */
  log: z.object({ containerId: z.string(), last: z.string().nullable() }).nullable(),
  /** The tasks that the socket shows, and the newest of those that it has shown to their end. */
  following: z.array(Followed).optional(),
  shown: z.array(z.string()).optional(),
});
export type SocketState = z.output<typeof SocketState>;

const size = z.number().int().min(1).max(1_000);

/** What clients send, as text. */
export const ClientFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("input"), data: z.string() }),
  z.object({ type: z.literal("resize"), cols: size, rows: size }),
  z.object({ type: z.literal("select"), target_id: z.string().max(100) }),
  z.object({ type: z.literal("open_terminal"), target: z.string().max(100).nullish() }),
  z.object({ type: z.literal("switch_container"), container_id: z.string().max(100) }),
  z.object({ type: z.literal("ping") }),
]);
export type ClientFrame = z.output<typeof ClientFrame>;

/** Which frames a socket of each kind takes. */
export const TAKEN: Readonly<Record<Exclude<Kind, "conversation">, ReadonlySet<ClientFrame["type"]>>> = {
  terminal: new Set(["input", "resize", "select", "ping"]),
  logs: new Set(["switch_container", "ping"]),
  chat: new Set(["input", "resize", "select", "open_terminal", "switch_container", "ping"]),
  events: new Set(["ping"]),
};

/** A place where a terminal may be opened, as clients show it. */
export interface Target {
  id: string;
  name: string;
  type: string;
  status: string;
  port: number | null;
  container_directory: string;
}

/** What clients get, as text. */
export type ServerFrame =
  | { type: "provisioning"; message: string }
  | { type: "select_container"; targets: Target[] }
  /** The terminal takes input; the session's id and position are what a new socket resumes with. */
  | { type: "ready"; session_id: string; position: number }
  /** `position` is that after the last byte of `data` in the session's output. */
  | { type: "output"; data: string; position: number }
  | { type: "containers"; data: { id: string; name: string; status: string; type: string }[] }
  | { type: "log"; data: string; container_id: string }
  | { type: "status_update"; payload: object }
  | { type: "pong" }
  | { type: "agent_event"; task_id: string; chat_id: string; payload: object }
  | { type: "message_accepted"; task_id: string; chat_id: string; data: object }
  | ErrorFrame;

/** `content` is what clients of chats read, and so is `data`; other sockets carry the message alone. */
export interface ErrorFrame {
  type: "error";
  message: string;
  content?: string;
  /** What else is known of the failure stands beside these, such as the `limit` that was met and the `current` count. */
  data?: { message: string; code?: string; retry_after_seconds?: number; [fact: string]: unknown };
  /** What it is about. */
  task_id?: string;
  approval_id?: string;
}
