import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { DiscordState } from "./state.ts";

/** Opcodes of frames. */
const DISPATCH = 0;
const HEARTBEAT = 1;
const IDENTIFY = 2;
const HELLO = 10;
const ACK = 11;

const HEARTBEAT_MS = 41_250;
const MESSAGE_CONTENT = 1 << 15;

interface Session {
  socket: WebSocket;
  seq: number;
  intents: number;
}

/**
 * Discord's gateway, for clients that stay connected: sessions, heartbeats and events. How sessions break off and are resumed
 * is scripted in `test/channels/discord/connection.test.ts`. Source: discord-api-docs, gateway and opcodes.
 */
export class DiscordGateway {
  readonly #state: DiscordState;
  readonly #origin: () => string;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Set<Session>();

  constructor(state: DiscordState, origin: () => string) {
    this.#state = state;
    this.#origin = origin;
  }

  /** How many connections get events. */
  get listening(): number {
    return this.#sessions.size;
  }

  /** What GET /gateway/bot returns. */
  description(): Record<string, unknown> {
    const limit = { total: 1_000, remaining: 1_000, reset_after: 3_600_000, max_concurrency: 1 };
    return { url: this.#address(), shards: 1, session_start_limit: limit };
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on("message", (data) => this.#read(webSocket, data));
      webSocket.on("close", () => {
        for (const session of this.#sessions)
          if (session.socket === webSocket) this.#sessions.delete(session);
      });
      send(webSocket, { op: HELLO, d: { heartbeat_interval: HEARTBEAT_MS }, s: null, t: null });
    });
  }

  /** Tells every session of an event, of those that have one of the intents; `of` makes the data for each. */
  dispatch(type: string, intent: number, dataFor: (readsContent: boolean) => unknown): void {
    for (const session of this.#sessions) {
      if (intent !== 0 && (session.intents & intent) === 0) continue;
      dispatch(session, type, dataFor((session.intents & MESSAGE_CONTENT) !== 0));
    }
  }

  #address(): string {
    return `${this.#origin().replace(/^http/u, "ws")}/gateway`;
  }

  #read(socket: WebSocket, data: RawData): void {
    const text = Buffer.isBuffer(data) ? data.toString() : "{}";
    const { op, d }: { op?: number; d?: { token?: string; intents?: number } } = JSON.parse(text);
    if (op === HEARTBEAT) return send(socket, { op: ACK });
    if (op !== IDENTIFY) return socket.close(4_001);
    if (d?.token?.replace(/^Bot /u, "") !== this.#state.token) return socket.close(4_004);
    const session = { socket, seq: 0, intents: d.intents ?? 0 };
    this.#sessions.add(session);
    dispatch(session, "READY", {
      v: 10,
      user: this.#state.bot,
      guilds: [],
      session_id: randomBytes(16).toString("hex"),
      resume_gateway_url: this.#address(),
      application: { id: this.#state.applicationId, flags: 0 },
    });
  }
}

function dispatch(session: Session, type: string, data: unknown): void {
  session.seq += 1;
  send(session.socket, { op: DISPATCH, t: type, s: session.seq, d: data });
}

function send(socket: WebSocket, frame: object): void {
  socket.send(JSON.stringify(frame));
}
