import { trusted } from "../json.ts";
import type { SocketSource } from "../live/connection.ts";
import type { SocketClass } from "../options.ts";
import type { Transport } from "./transport.ts";
import { addressOf } from "./url.ts";

/** How chats and terminals open their sockets. The service takes the token of a socket in its address. */
export function socketsOver({ base, credentials }: Transport, given: SocketClass | undefined): SocketSource {
  return {
    async open(path, query, { renew = false } = {}) {
      const SocketOfRuntime = given ?? socketOfRuntime();
      const token = await credentials.token(renew);
      return new SocketOfRuntime(addressOf(base.replace(/^http/u, "ws"), path, {}, { ...query, token }));
    },
  };
}

function socketOfRuntime(): SocketClass {
  if (typeof WebSocket === "undefined") {
    throw new TypeError("This runtime has no WebSocket: pass that of `ws`");
  }
  // The libraries of the runtimes describe the same events each in their own way.
  return trusted<SocketClass>(WebSocket);
}
