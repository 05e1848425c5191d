import http from "node:http";

/**
 * A server on a free port of the loopback interface. A handler that fails, mostly because its client went away, costs
 * that connection only. `close` also ends the connections that are open.
 */
export async function serve(
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void> | void,
  options: http.ServerOptions = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = http.createServer(options, (request, response) => {
    void (async () => {
      try {
        await handler(request, response);
      } catch {
        response.destroy();
      }
    })();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
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
