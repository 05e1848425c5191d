import { WebSocket } from "ws";

const TIMEOUT_MS = 10_000;

/** Opens a socket and leaves it again. Throws when none is opened. */
export function probeSocket(address: string): Promise<void> {
  const socket = new WebSocket(address.replace(/^http/u, "ws"), { handshakeTimeout: TIMEOUT_MS });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      socket.close();
      resolve();
    });
  });
}
