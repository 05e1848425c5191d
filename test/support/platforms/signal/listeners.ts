import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** As the bridge does: nine tenths of the minute after which it would give up. */
const PING_MS = 54_000;
/** A longer frame of a client ends its connection. */
const MAX_FRAME_BYTES = 512;
const HEARTBEAT_MS = 15_000;

/** Who listens at a bridge by WebSockets and by event streams: all of them get every message, and nothing is kept for later. */
export class Listeners {
  readonly #sockets = new Set<WebSocket>();
  readonly #streams = new Set<ServerResponse>();
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  readonly #timers: NodeJS.Timeout[];

  constructor() {
    this.#timers = [
      setInterval(() => this.#sockets.forEach((socket) => socket.ping()), PING_MS),
      setInterval(() => this.#streams.forEach((stream) => stream.write(":\n\n")), HEARTBEAT_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  get count(): number {
    return this.#sockets.size + this.#streams.size;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (accepted) => {
      this.#sockets.add(accepted);
      accepted.on("close", () => this.#sockets.delete(accepted));
      accepted.on("error", () => undefined);
    });
  }

  stream(response: ServerResponse): void {
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    response.flushHeaders();
  }

  send(text: string): void {
    for (const socket of this.#sockets) socket.send(text);
    for (const stream of this.#streams) stream.write(`data:${text}\n\n`);
  }

  /** Ends all connections without a word, as a restart of the bridge does. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
    for (const stream of this.#streams) stream.destroy();
    this.#sockets.clear();
    this.#streams.clear();
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.drop();
  }
}
