import http from "node:http";

/** Connections from workerd stay open while idle: one that is closed just as it is used again fails a request. */
const KEEP_ALIVE_MS = 600_000;

/**
 * A server on the loopback interface: on `preferredPort` if that is free, else on any free port. A handler that fails,
 * mostly because its client went away, costs that connection only. `close` also ends the connections that are open.
 */
export async function serve(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void> | void,
  { preferredPort = 0, ...options }: http.ServerOptions & { preferredPort?: number } = {},
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
      }),
  };
}

function listen(server: http.Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}
