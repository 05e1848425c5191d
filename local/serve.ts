import http from "node:http";
import net from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

/** Idle connections from workerd stay open: a request on a connection that is just being closed would fail. */
const KEEP_ALIVE_MS = 600_000;

const FOREIGN = "This server is reached by its address alone";

interface ServeOptions extends http.ServerOptions {
  preferredPort?: number;
  /** Whether the server answers to this name as well; it always answers to addresses and `localhost`. */
  isOwnName?: (name: string) => boolean;
  /** Milliseconds by which each request arrives later. */
  distanceMs?: number;
  /** Handles requests for another protocol; without it their connections are closed. */
  onUpgrade?: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/**
 * Starts a server on the loopback interface: on `preferredPort` if that is free, otherwise on any free port. A handler
 * that fails, mostly because its client disconnected, affects only that connection. `close` also ends open connections.
 *
 * Requests by a foreign name are refused: the page of another site reaches this server by a name of its own that leads to
 * this machine, and would read what is served.
 */
export async function serve(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void> | void,
  { preferredPort = 0, isOwnName = () => false, distanceMs = 0, onUpgrade, ...options }: ServeOptions = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const isForeign = ({ headers: { host = "" } }: http.IncomingMessage) => {
    const name = URL.parse(`http://${host}`)?.hostname ?? "";
    return !isAddress(name) && !isOwnName(name);
  };
  const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...options }, (request, response) => {
    if (isForeign(request)) {
      response.writeHead(403, { "content-type": "text/plain", connection: "close" }).end(FOREIGN);
      return;
    }
    void (async () => {
      try {
        if (distanceMs > 0) await pause(distanceMs);
        await handler(request, response);
      } catch {
        response.destroy();
      }
    })();
  });
  const upgraded = new Set<Duplex>();
  if (onUpgrade) {
    server.on("upgrade", (request, socket, head) => {
      if (isForeign(request)) {
        socket.on("error", () => socket.destroy());
        socket.end(
          `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${FOREIGN}`,
        );
        return;
      }
      upgraded.add(socket);
      socket.once("close", () => upgraded.delete(socket));
      onUpgrade(request, socket, head);
    });
  }
  await listen(server, preferredPort).catch((error: unknown) => {
    if (preferredPort === 0) throw error;
    return listen(server, 0);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

/** A name could lead anywhere, and to this machine only for a moment; numbers and `localhost` cannot. */
function isAddress(name: string): boolean {
  return name === "localhost" || net.isIP(name.replaceAll(/[[\]]/gu, "")) !== 0;
}

function listen(server: http.Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}
