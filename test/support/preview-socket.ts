import { once } from "node:events";
import { WebSocket } from "ws";

/** A WebSocket to a host name that leads to the service whatever it is, with headers of one's own, which the standard client has not. */
export async function openSocket(serviceUrl: string, url: string, headers: Record<string, string>) {
  const { host, pathname, search } = new URL(url);
  const address = new URL(pathname + search, serviceUrl);
  const socket = new WebSocket(address.href, { headers: { host, ...headers } });
  await once(socket, "open");
  return {
    send: (text: string) => socket.send(text),
    /** The next text that arrives. */
    async next(): Promise<string> {
      const [data] = await once(socket, "message");
      return String(data);
    },
    close: () => socket.terminate(),
  };
}
