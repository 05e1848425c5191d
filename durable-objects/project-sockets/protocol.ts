import { z } from "zod";
import { StoredCaller } from "#src/domain/access/permissions/index.ts";
import { ProjectClientFrame, type ProjectNotice } from "#src/wire/sockets.ts";

export type { ErrorFrame, ProjectNotice, ServerFrame, Target } from "#src/wire/sockets.ts";

/** The contract of the `ProjectSockets` object; one object per project, by the project's id. */
export interface ProjectSocketsObject extends Rpc.DurableObjectBranded {
  /** Notifies all sockets open at this moment; the notice is not stored. */
  notify(notice: ProjectNotice): void;
  /**
   * Notifies the sockets of chats whose users may read the project's files that these paths have changed; null if any
   * file may have changed. At most one notice a second: later changes are in the next one.
   */
  filesChanged(paths: readonly string[] | null): void;
  /** An agent works on this task from now on: sockets of the task's user, and of readers of its shared chat, show it. */
  taskBegan(taskId: string): void;
  /**
   * Opens a socket for a person whose access was checked: the request carries an `Opening` in `OPENING_HEADER`. Returns
   * 101 with the socket. If the person has too many sockets, returns 409 for `events`; a socket of another kind reports
   * it and closes.
   */
  fetch(request: Request): Promise<Response>;
}

/** Header with an `Opening`, as percent-encoded JSON, on the request that opens a socket. */
export const OPENING_HEADER = "x-socket-opening";

/**
 * The kind of a socket: a terminal, the logs of containers, both beside a chat, the chats themselves (their frames are
 * in `chat/frames.ts`), or only the events of their tasks, which a Worker reads for a client of Server-Sent Events.
 */
const Kind = z.enum(["terminal", "logs", "chat", "conversation", "events"]);
export type Kind = z.output<typeof Kind>;

/** Sockets of these kinds show the project's tasks. */
export const isShownTasks = (kind: Kind) => kind === "conversation" || kind === "events";

/** Sockets of these kinds get notices of changed files. */
export const isToldOfFiles = (kind: Kind) => kind === "conversation" || kind === "chat";

/** The request of a client that opens a terminal. */
const TerminalInput = z.object({
  /** `ctr:<container id>`, `ephemeral` or `environment`; null leaves the choice to the project or its user. */
  target: z.string().nullable(),
  /** A session to resume, and the position up to which the client has its output. */
  session: z.string().nullable(),
  position: z.number().int().nonnegative().nullable(),
  columns: z.number().int(),
  rows: z.number().int(),
});
export type TerminalInput = z.output<typeof TerminalInput>;

/** A task whose events a client has up to an id, and wants the rest of. */
const Resume = z.object({ taskId: z.string(), after: z.number().int().nonnegative() });
export type Resume = z.output<typeof Resume>;

/** A task that a socket shows. */
const Followed = z.object({
  taskId: z.string(),
  chatId: z.string(),
  /** Id of the last event that was sent. */
  after: z.number(),
  /**
   * Whether its events are shown bare, as for the socket that started the task or asked for it; otherwise as
   * `agent_event`.
   */
  direct: z.boolean(),
  /** The last event asked for an approval: no events follow until it is decided. */
  asking: z.boolean(),
  /** It is another person's, in a shared chat: access to it is checked again before its events are sent. */
  foreign: z.literal(true).optional(),
});
export type Followed = z.output<typeof Followed>;

/** A socket to open, for a person whose access was checked. */
export const Opening = z.object({
  kind: Kind,
  userId: z.string(),
  standing: StoredCaller,
  wish: TerminalInput,
  /** For sockets of chats: whether the user may read the project's files. */
  readsFiles: z.boolean().optional(),
  /** For sockets with tasks: whether those of others are shown, in chats that are shared. */
  shared: z.boolean().optional(),
  /** For sockets with tasks: the tasks to resume. */
  resume: z.array(Resume).optional(),
  /** Tasks that the client has to their end. If present, tasks started after those are shown too. */
  shown: z.array(z.string()).optional(),
});
export type Opening = z.output<typeof Opening>;

/** State of a terminal: its session, if any, and the position after the output that was sent. */
const TerminalState = TerminalInput.extend({
  phase: z.enum(["choosing", "opening", "open"]),
});
export type TerminalState = z.output<typeof TerminalState>;

/** State of a socket that survives the object's eviction; at most 16 KiB by the platform's count. */
export const SocketState = Opening.omit({ wish: true, resume: true, shown: true }).extend({
  /** When access was last verified. */
  checkedAt: z.number(),
  terminal: TerminalState.nullable(),
  /** The container whose log is shown, and the last line that was sent. */
  log: z.object({ containerId: z.string(), last: z.string().nullable() }).nullable(),
  /** The tasks that the socket shows, and the newest ones that it has shown to their end. */
  following: z.array(Followed).optional(),
  shown: z.array(z.string()).optional(),
});
export type SocketState = z.output<typeof SocketState>;

/** Frames that clients send, as text. */
export const ClientFrame = ProjectClientFrame;
export type ClientFrame = z.output<typeof ClientFrame>;

/** The frames that each kind of socket accepts. */
export const TAKEN: Readonly<Record<Exclude<Kind, "conversation">, ReadonlySet<ClientFrame["type"]>>> = {
  terminal: new Set(["input", "resize", "select", "ping"]),
  logs: new Set(["switch_container", "ping"]),
  chat: new Set(["input", "resize", "select", "open_terminal", "switch_container", "ping"]),
  events: new Set(["ping"]),
};
