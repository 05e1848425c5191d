import http from "node:http";
import type { Duplex } from "node:stream";

/** Idle connections from workerd stay open: a request on a connection that is just being closed would fail. */
const KEEP_ALIVE_MS = 600_000;

interface ServeOptions extends http.ServerOptions {
  preferredPort?: number;
  /** Handles requests for another protocol; without it their connections are closed. */
  onUpgrade?: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/**
 * Starts a server on the loopback interface: on `preferredPort` if that is free, otherwise on any free port. A handler
 * that fails, mostly because its client disconnected, affects only that connection. `close` also ends open connections.
 */
export async function serve(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void> | void,
  { preferredPort = 0, onUpgrade, ...options }: ServeOptions = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...options }, (request, response) => {
    void (async () => {
      try {
        await handler(request, response);
      } catch {
        response.destroy();
      }
    })();
  });
  const upgraded = new Set<Duplex>();
  if (onUpgrade) {
    server.on("upgrade", (request, socket, head) => {
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

function listen(server: http.Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}
