import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";

/** Kinds of envelopes. */
export type EnvelopeType = "events_api" | "interactive" | "slash_commands";

/**
 * Slack's Socket Mode, for clients that stay connected: addresses that are good once, and envelopes of which each goes to one
 * connection. How connections end and are replaced is scripted in `test/channels/slack/connection.test.ts`. Source: the protocol
 * as @slack/socket-mode speaks it.
 */
export class SlackSockets {
  readonly #origin: () => string;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #connections = new Set<WebSocket>();
  /** Ids of the envelopes that clients acknowledged, in order. */
  readonly acks: string[] = [];

  constructor(origin: () => string) {
    this.#origin = origin;
  }

  /** How many connections get envelopes. */
  get listening(): number {
    return this.#connections.size;
  }

  newUrl(): string {
    const ticket = randomBytes(12).toString("hex");
    this.#tickets.add(ticket);
    return `${this.#origin().replace(/^http/u, "ws")}/link/?ticket=${ticket}`;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? "/", "http://socket.test");
    if (!this.#tickets.delete(searchParams.get("ticket") ?? "")) {
      socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on("message", (data) => this.#read(data));
      webSocket.on("close", () => this.#connections.delete(webSocket));
      this.#connections.add(webSocket);
      const debug_info = { host: "applink-mock", build_number: 1, approximate_connection_time: 18_060 };
      webSocket.send(JSON.stringify({ type: "hello", num_connections: this.listening, debug_info }));
    });
  }

  /** Sends an envelope to one connection, if there is any. */
  deliver(type: EnvelopeType, payload: unknown): void {
    const [open] = this.#connections;
    const accepts_response_payload = type !== "events_api";
    open?.send(JSON.stringify({ envelope_id: randomUUID(), type, payload, accepts_response_payload }));
  }

  #read(data: RawData): void {
    const text = Buffer.isBuffer(data) ? data.toString() : "{}";
    const { envelope_id: id }: { envelope_id?: string } = JSON.parse(text);
    if (id !== undefined) this.acks.push(id);
  }
}
