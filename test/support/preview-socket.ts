import { randomBytes } from "node:crypto";
import http from "node:http";
import type { Duplex } from "node:stream";

export interface PreviewSocket {
  /** A text of at most 125 bytes. */
  send(text: string): void;
  /** The next text that arrives, of at most 125 bytes. */
  next(): Promise<string>;
  close(): void;
}

/**
 * A WebSocket to a host name that leads to the service whatever it is, with headers of one's own, which the standard client
 * has not. Source: RFC 6455, sections 4 and 5.
 */
export async function openSocket(
  serviceUrl: string,
  url: string,
  headers: Record<string, string>,
): Promise<PreviewSocket> {
  const { host, pathname, search } = new URL(url);
  const request = http.request({
    host: "127.0.0.1",
    port: new URL(serviceUrl).port,
    path: pathname + search,
    headers: {
      host,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      ...headers,
    },
  });
  const socket = await new Promise<Duplex>((resolve, reject) => {
    request.on("upgrade", (_, upgraded) => resolve(upgraded));
    request.on("response", ({ statusCode }) => reject(new Error(`The upgrade was answered ${statusCode}`)));
    request.on("error", reject);
    request.end();
  });
  return {
    send(text) {
      const payload = Buffer.from(text);
      const mask = randomBytes(4);
      const masked = payload.map((byte: number, index: number) => byte ^ (mask[index % 4] ?? 0));
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, masked]));
    },
    next: () =>
      new Promise((resolve, reject) => {
        socket.once("data", (frame: Buffer) => resolve(frame.subarray(2).toString()));
        socket.once("close", () => reject(new Error("The socket was closed")));
      }),
    close: () => void socket.destroy(),
  };
}
