import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";

const MAX_CONNECTIONS = 10;
const MAX_RETRIES = 3;

/** Kinds of envelopes. */
export type EnvelopeType = "events_api" | "interactive" | "slash_commands";

/** A connection that a client made. */
export interface SocketConnection {
  /** Ids of the envelopes that it was sent, in order. */
  envelopes: readonly string[];
  /** How often the client pinged, and answered a ping. */
  pings: number;
  pongs: number;
  isClosed: boolean;
}

interface Open extends SocketConnection {
  socket: WebSocket;
  envelopes: string[];
  /** Whether it was told to go: then it gets nothing more. */
  isLeaving: boolean;
}

interface Envelope {
  id: string;
  type: EnvelopeType;
  payload: unknown;
  attempt: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Slack's Socket Mode: addresses that are good once, envelopes of which each goes to one connection, and what was not
 * acknowledged once more. Source: the protocol as @slack/socket-mode speaks it.
 */
export class SlackSockets {
  readonly #appId: string;
  readonly #origin: () => string;
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #tickets = new Set<string>();
  readonly #connections: Open[] = [];
  readonly #open = new Map<string, Envelope>();
  #turn = 0;
  /** What clients acknowledged, in order. */
  readonly acks: { envelope_id: string; payload?: unknown }[] = [];
  /** Whether pings of clients are answered: a connection without answers is dead. */
  answersPings = true;
  /** After so long, what was not acknowledged is sent again. */
  redeliverMs: number;
  /** Whether new connections are greeted. */
  greets = true;

  constructor(appId: string, origin: () => string, redeliverMs: number) {
    this.#appId = appId;
    this.#origin = origin;
    this.redeliverMs = redeliverMs;
  }

  /** Every connection so far, in order. */
  get connections(): readonly SocketConnection[] {
    return this.#connections;
  }

  /** How many connections get envelopes. */
  get listening(): number {
    return this.#listeners().length;
  }

  /** Envelopes that were not acknowledged yet. */
  get unacknowledged(): readonly string[] {
    return [...this.#open.keys()];
  }

  newUrl(): string {
    const ticket = randomBytes(12).toString("hex");
    this.#tickets.add(ticket);
    return `${this.#origin().replace(/^http/u, "ws")}/link/?ticket=${ticket}&app_id=${this.#appId}`;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? "/", "http://socket.test");
    if (!this.#tickets.delete(searchParams.get("ticket") ?? "")) {
      socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const open: Open = {
        socket: webSocket,
        envelopes: [],
        pings: 0,
        pongs: 0,
        isClosed: false,
        isLeaving: false,
      };
      webSocket.on("message", (data) => this.#read(data));
      webSocket.on("ping", (data) => {
        open.pings += 1;
        if (this.answersPings) webSocket.pong(data);
      });
      webSocket.on("pong", () => {
        open.pongs += 1;
      });
      webSocket.on("close", () => {
        open.isClosed = true;
      });
      this.#connections.push(open);
      this.#greet(open);
    });
  }

  /** Sends an envelope to one connection, the next in turn; without one it waits for the next. Returns its id. */
  deliver(type: EnvelopeType, payload: unknown): string {
    const envelope: Envelope = { id: randomUUID(), type, payload, attempt: 0, timer: undefined };
    this.#open.set(envelope.id, envelope);
    this.#send(envelope);
    return envelope.id;
  }

  /** Tells connections that they end: `warning` comes before, the others at once. Slack closes none itself. */
  disconnect(reason: "warning" | "refresh_requested" | "too_many_websockets" | "link_disabled"): void {
    for (const open of this.#listeners()) this.#tellToGo(open, reason);
  }

  /** Sends a ping to every connection, as Slack does every half minute. */
  ping(): void {
    for (const open of this.#connections.filter(({ isClosed }) => !isClosed)) {
      open.socket.ping("Ping from applink-mock");
    }
  }

  /** Breaks every connection off without a word. */
  dropAll(): void {
    for (const { socket } of this.#connections) socket.terminate();
  }

  /** Ends what would still be sent. */
  stop(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
  }

  #listeners(): Open[] {
    return this.#connections.filter(({ isClosed, isLeaving }) => !isClosed && !isLeaving);
  }

  #greet(open: Open): void {
    if (this.#listeners().length > MAX_CONNECTIONS) return this.#tellToGo(open, "too_many_websockets");
    if (!this.greets) {
      open.isLeaving = true;
      return;
    }
    this.#write(open, {
      type: "hello",
      num_connections: this.#listeners().length,
      debug_info: { host: "applink-mock", build_number: 1, approximate_connection_time: 18_060 },
      connection_info: { app_id: this.#appId },
    });
    for (const envelope of this.#open.values()) {
      if (envelope.timer === undefined) this.#send(envelope);
    }
  }

  #tellToGo(open: Open, reason: string): void {
    this.#write(open, { type: "disconnect", reason, debug_info: { host: "applink-mock" } });
    open.isLeaving = reason !== "warning";
  }

  #write({ socket }: Open, frame: object): void {
    socket.send(JSON.stringify(frame));
  }

  #send(envelope: Envelope): void {
    const listeners = this.#listeners();
    const open = listeners[this.#turn % Math.max(listeners.length, 1)];
    envelope.timer = undefined;
    if (open === undefined) return;
    this.#turn += 1;
    open.envelopes.push(envelope.id);
    const { id, type, payload, attempt } = envelope;
    this.#write(open, {
      envelope_id: id,
      type,
      payload,
      accepts_response_payload: type !== "events_api",
      ...(type === "events_api" && {
        retry_attempt: attempt,
        retry_reason: attempt === 0 ? "" : "timeout",
      }),
    });
    envelope.timer = setTimeout(() => this.#sendAgain(envelope), this.redeliverMs);
    envelope.timer.unref();
  }

  /** Commands and clicks are sent once: the person sees that they failed. */
  #sendAgain(envelope: Envelope): void {
    if (envelope.type !== "events_api" || envelope.attempt === MAX_RETRIES) {
      this.#open.delete(envelope.id);
      return;
    }
    envelope.attempt += 1;
    this.#send(envelope);
  }

  #read(data: RawData): void {
    const text = Buffer.isBuffer(data) ? data.toString() : "null";
    const frame: { envelope_id?: string; payload?: unknown } = Object(JSON.parse(text));
    if (frame.envelope_id === undefined) return;
    this.acks.push({
      envelope_id: frame.envelope_id,
      ...(frame.payload !== undefined && { payload: frame.payload }),
    });
    clearTimeout(this.#open.get(frame.envelope_id)?.timer);
    this.#open.delete(frame.envelope_id);
  }
}
