import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** Who listens at a bridge by WebSockets: all of them get every message, and nothing is kept for later. */
export class Listeners {
  readonly #sockets = new Set<WebSocket>();
  readonly #server = new WebSocketServer({ noServer: true });

  get count(): number {
    return this.#sockets.size;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (accepted) => {
      this.#sockets.add(accepted);
      accepted.on("close", () => this.#sockets.delete(accepted));
      accepted.on("error", () => undefined);
    });
  }

  send(text: string): void {
    for (const socket of this.#sockets) socket.send(text);
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }
}
