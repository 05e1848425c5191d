import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface RawServer extends AsyncDisposable {
  origin: string;
}

/** A server for what no well-behaved one does: hang, stop half-way, talk nonsense. Disposing it cuts what is open. */
export async function rawServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RawServer> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
