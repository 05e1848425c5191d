import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { DiscordState } from "./state.ts";

/** Opcodes of frames. */
const DISPATCH = 0;
const HEARTBEAT = 1;
const IDENTIFY = 2;
const RESUME = 6;
const RECONNECT = 7;
const INVALID_SESSION = 9;
const HELLO = 10;
const ACK = 11;
const OPCODES_OF_CLIENTS: ReadonlySet<number> = new Set([1, 2, 3, 4, 6, 8, 31]);

const MAX_FRAME_BYTES = 4_096;
const MAX_FRAMES_A_MINUTE = 120;
const MESSAGE_CONTENT = 1 << 15;
const START_LIMIT = 1_000;

interface Frame {
  op: number;
  d?: unknown;
  s?: number | null;
  t?: string | null;
}

interface Session {
  id: string;
  seq: number;
  intents: number;
  /** What was dispatched, for a resume. */
  sent: Frame[];
  connection: Open | undefined;
}

/** A connection that a client made. */
export interface GatewayConnection {
  /** Below which address it was opened. */
  path: string;
  /** What the client sent. */
  frames: readonly Frame[];
  /** Numbers of the heartbeats. */
  heartbeats: readonly unknown[];
  /** How it ended. */
  closed: { code: number; byClient: boolean } | undefined;
}

interface Open extends GatewayConnection {
  socket: WebSocket;
  frames: Frame[];
  heartbeats: unknown[];
  session: Session | undefined;
}

/**
 * Discord's gateway: sessions, heartbeats, and all ways in which connections end. Sources: discord-api-docs, gateway and
 * opcodes. A session gets what happens while it has no connection when it resumes.
 */
export class DiscordGateway {
  readonly #state: DiscordState;
  readonly #origin: () => string;
  readonly #heartbeatMs: number;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #connections: Open[] = [];
  /** Whether heartbeats are acknowledged: a connection without acknowledgements is dead. */
  acknowledges = true;
  /** Whether the owner switched the Message Content intent on. */
  allowsMessageContent = true;
  /** How many sessions the bot may still begin today. */
  remaining = START_LIMIT;
  /** Milliseconds between two identifications; Discord has 5000. */
  identifyIntervalMs = 0;
  #identifiedAt = 0;

  constructor(state: DiscordState, origin: () => string, heartbeatMs: number) {
    this.#state = state;
    this.#origin = origin;
    this.#heartbeatMs = heartbeatMs;
  }

  /** Every connection so far, in order. */
  get connections(): readonly GatewayConnection[] {
    return this.#connections;
  }

  /** Ids of the sessions that can be resumed or are connected. */
  get sessionIds(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  /** How many connections get events. */
  get listening(): number {
    return [...this.#sessions.values()].filter(({ connection }) => connection !== undefined).length;
  }

  /** What GET /gateway/bot returns. */
  description(): Record<string, unknown> {
    const limit = {
      total: START_LIMIT,
      remaining: this.remaining,
      reset_after: 3_600_000,
      max_concurrency: 1,
    };
    return { url: `${this.#address()}/gateway`, shards: 1, session_start_limit: limit };
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://gateway.test");
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const open: Open = {
        path: pathname,
        socket: webSocket,
        frames: [],
        heartbeats: [],
        closed: undefined,
        session: undefined,
      };
      this.#connections.push(open);
      webSocket.on("message", (data) => this.#read(open, data));
      webSocket.on("close", (code) => this.#ended(open, code));
      if (searchParams.get("v") !== "10" || searchParams.get("encoding") !== "json") {
        this.#close(open, 4_012);
        return;
      }
      this.#send(open, { op: HELLO, d: { heartbeat_interval: this.#heartbeatMs }, s: null, t: null });
    });
  }

  /** Tells every session of an event, of those that have one of the intents; `of` makes the data for each. */
  dispatch(type: string, intent: number, dataFor: (readsContent: boolean) => unknown): void {
    for (const session of this.#sessions.values()) {
      if (intent !== 0 && (session.intents & intent) === 0) continue;
      this.#dispatch(session, type, dataFor((session.intents & MESSAGE_CONTENT) !== 0));
    }
  }

  /** Asks clients to connect anew, as Discord does before it stops a server of its own. */
  askToReconnect(): void {
    for (const open of this.#opened()) this.#send(open, { op: RECONNECT, d: null, s: null, t: null });
  }

  /** Ends all sessions, or only interrupts them. */
  invalidateSessions({ isResumable }: { isResumable: boolean }): void {
    const opened = this.#opened();
    for (const open of opened) {
      if (open.session !== undefined) open.session.connection = undefined;
      open.session = undefined;
      this.#send(open, { op: INVALID_SESSION, d: isResumable, s: null, t: null });
    }
    if (!isResumable) this.#sessions.clear();
  }

  /** Ends sessions without a word: their resume fails. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  /** Asks for a heartbeat at once. */
  askForHeartbeat(): void {
    for (const open of this.#opened()) this.#send(open, { op: HEARTBEAT, d: null, s: null, t: null });
  }

  /** Closes every connection with a code. */
  closeAll(code: number): void {
    for (const open of this.#opened()) this.#close(open, code);
  }

  /** Breaks every connection off without a word. */
  dropAll(): void {
    for (const open of this.#opened()) open.socket.terminate();
  }

  #address(): string {
    return this.#origin().replace(/^http/u, "ws");
  }

  #opened(): Open[] {
    return this.#connections.filter(({ closed }) => closed === undefined);
  }

  #send(open: Open, frame: Frame): void {
    open.socket.send(JSON.stringify(frame));
  }

  #close(open: Open, code: number): void {
    open.closed ??= { code, byClient: false };
    this.#release(open, code);
    open.socket.close(code);
  }

  #ended(open: Open, code: number): void {
    open.closed ??= { code, byClient: true };
    this.#release(open, code);
  }

  /** A session outlives its connection, but not a client that says goodbye, nor some of the gateway's own codes. */
  #release(open: Open, code: number): void {
    const { session } = open;
    if (session === undefined) return;
    open.session = undefined;
    if (session.connection === open) session.connection = undefined;
    const isOver = open.closed?.byClient
      ? code === 1_000 || code === 1_001
      : [4_004, 4_007, 4_009].includes(code);
    if (isOver) this.#sessions.delete(session.id);
  }

  #read(open: Open, data: RawData): void {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(MAX_FRAME_BYTES + 1);
    const frame = frameOf(bytes);
    if (frame === undefined || bytes.length > MAX_FRAME_BYTES) return this.#close(open, 4_002);
    open.frames.push(frame);
    if (open.frames.length > MAX_FRAMES_A_MINUTE) return this.#close(open, 4_008);
    if (!OPCODES_OF_CLIENTS.has(frame.op)) return this.#close(open, 4_001);
    switch (frame.op) {
      case HEARTBEAT: {
        open.heartbeats.push(frame.d);
        if (this.acknowledges) this.#send(open, { op: ACK });
        return;
      }
      case IDENTIFY: {
        this.#identify(open, Object(frame.d));
        return;
      }
      case RESUME: {
        this.#resume(open, Object(frame.d));
        return;
      }
      default: {
        if (open.session === undefined) this.#close(open, 4_003);
      }
    }
  }

  #identify(open: Open, { token, intents }: { token?: unknown; intents?: unknown }): void {
    if (open.session !== undefined) return this.#close(open, 4_005);
    if (!this.#isToken(token)) return this.#close(open, 4_004);
    if (typeof intents !== "number") return this.#close(open, 4_013);
    if ((intents & MESSAGE_CONTENT) !== 0 && !this.allowsMessageContent) return this.#close(open, 4_014);
    const isTooEarly = Date.now() - this.#identifiedAt < this.identifyIntervalMs;
    if (isTooEarly || this.remaining === 0) {
      this.#send(open, { op: INVALID_SESSION, d: false, s: null, t: null });
      return;
    }
    this.#identifiedAt = Date.now();
    this.remaining -= 1;
    const session: Session = {
      id: randomBytes(16).toString("hex"),
      seq: 0,
      intents,
      sent: [],
      connection: open,
    };
    this.#sessions.set(session.id, session);
    open.session = session;
    this.#dispatch(session, "READY", {
      v: 10,
      user: this.#state.bot,
      guilds: [],
      session_id: session.id,
      resume_gateway_url: `${this.#address()}/resume`,
      application: { id: this.#state.applicationId, flags: 0 },
    });
  }

  #resume(open: Open, given: { token?: unknown; session_id?: unknown; seq?: unknown }): void {
    if (!this.#isToken(given.token)) return this.#close(open, 4_004);
    const session = this.#sessions.get(String(given.session_id));
    if (session === undefined) {
      this.#send(open, { op: INVALID_SESSION, d: false, s: null, t: null });
      return;
    }
    const { seq } = given;
    if (typeof seq !== "number" || seq > session.seq) {
      open.session = session;
      return this.#close(open, 4_007);
    }
    const before = session.connection;
    session.connection = open;
    open.session = session;
    if (before !== undefined && before !== open) {
      before.session = undefined;
      this.#close(before, 4_000);
    }
    for (const frame of session.sent.filter(({ s }) => Number(s) > seq)) this.#send(open, frame);
    this.#dispatch(session, "RESUMED", {});
  }

  #isToken(token: unknown): boolean {
    const { isTokenGood, token: own } = this.#state;
    return isTokenGood && typeof token === "string" && token.replace(/^Bot /u, "") === own;
  }

  #dispatch(session: Session, type: string, data: unknown): void {
    session.seq += 1;
    const frame: Frame = { op: DISPATCH, t: type, s: session.seq, d: data };
    session.sent.push(frame);
    if (session.connection !== undefined) this.#send(session.connection, frame);
  }
}

function frameOf(bytes: Buffer): Frame | undefined {
  try {
    const frame: Frame = Object(JSON.parse(bytes.toString()));
    return typeof frame.op === "number" ? frame : undefined;
  } catch {
    return undefined;
  }
}
