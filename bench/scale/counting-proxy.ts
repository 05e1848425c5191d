import http from "node:http";
import { serve } from "#local/serve.ts";

export interface CountingProxy {
  url: string;
  /** Bytes of all response bodies so far. */
  readonly bytes: number;
  close(): Promise<void>;
}

/**
 * A proxy between two servers of the local stack that counts the traffic. `onAnswer` receives the path and the headers
 * of each response.
 */
export async function startCountingProxy(
  target: () => string,
  onAnswer: (path: string, headers: http.IncomingHttpHeaders) => void = () => {},
): Promise<CountingProxy> {
  let bytes = 0;
  const agent = new http.Agent({ keepAlive: true });
  const server = await serve((request, response) => {
    const { method, headers, url: path = "/" } = request;
    const { hostname, port } = new URL(target());
    const onward = http.request({ agent, hostname, port, method, path, headers });
    onward.on("response", (answer) => {
      onAnswer(path, answer.headers);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("data", (chunk: Buffer) => (bytes += chunk.length));
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  return {
    url: server.url,
    get bytes() {
      return bytes;
    },
    async close() {
      await server.close();
      agent.destroy();
    },
  };
}
