import http from "node:http";

/**
 * Sends a request that has been read on to the server at `target`, under the path that it came with, and resolves with the
 * beginning of the answer. `signal` breaks it off.
 */
export function passOn(
  target: URL,
  { url: path, method, headers }: http.IncomingMessage,
  body: Buffer,
  signal = new AbortController().signal,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    http
      .request({
        host: target.hostname,
        port: target.port,
        path,
        method,
        headers: { ...headers, host: target.host },
        // A kept connection may be closed as the request leaves: one more fault than was chosen.
        agent: false,
        signal,
      })
      .on("response", resolve)
      .on("error", reject)
      .end(body);
  });
}
