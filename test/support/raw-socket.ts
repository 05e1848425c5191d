import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";

/** A WebSocket that never sends a message, and shows when the service ends the connection, which the standard client hides. */
export async function openRawSocket(url: string, path: string) {
  const socket = new WebSocket(new URL(path, url).href);
  const texts: string[] = [];
  socket.on("message", (data) => texts.push(Buffer.isBuffer(data) ? data.toString() : ""));
  const closed = once(socket, "close").then(([code]) => Number(code));
  // The client leaves the connection to the service for thirty seconds after the close frames.
  const ended = new Promise((resolve) =>
    socket.on("upgrade", (response: IncomingMessage) => response.socket.once("end", resolve)),
  );
  await once(socket, "open");
  return {
    /** The texts that came so far. */
    texts,
    /** The code of the service's close frame. */
    closed,
    /** The service has ended the connection. */
    ended,
  };
}
