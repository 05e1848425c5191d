import { z } from "zod";
import { Standing } from "#src/domain/access/index.ts";

/** Carries an `Opening`, as JSON in percent encoding, with the request that opens a socket. */
export const OPENING_HEADER = "x-socket-opening";

/** What a socket is for: a terminal, the logs of containers, or both beside a chat. */
const Kind = z.enum(["terminal", "logs", "chat"]);
export type Kind = z.output<typeof Kind>;

/** What somebody who opens a terminal asks for. */
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

/** A socket to be opened, for somebody who was let in. */
export const Opening = z.object({
  kind: Kind,
  userId: z.string(),
  standing: Standing,
  wish: TerminalWish,
});
export type Opening = z.output<typeof Opening>;

/** Of a terminal: the session it shows, once there is one, and the position after what was sent of its output. */
const TerminalState = TerminalWish.extend({
  phase: z.enum(["choosing", "opening", "open"]),
});
export type TerminalState = z.output<typeof TerminalState>;

/** What a socket keeps over the object's eviction; at most 16 KiB as the platform counts. */
export const SocketState = Opening.omit({ wish: true }).extend({
  /** When access was last found to be good. */
  checkedAt: z.number(),
  terminal: TerminalState.nullable(),
  /** The container whose log is shown, and the last line that was sent of it. */
  log: z.object({ containerId: z.string(), last: z.string().nullable() }).nullable(),
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
export const TAKEN: Readonly<Record<Kind, ReadonlySet<ClientFrame["type"]>>> = {
  terminal: new Set(["input", "resize", "select", "ping"]),
  logs: new Set(["switch_container", "ping"]),
  chat: new Set(["input", "resize", "select", "open_terminal", "switch_container", "ping"]),
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
  | { type: "error"; message: string };
