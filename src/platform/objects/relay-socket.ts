import { FAILED, ENDED, TRY_LATER, type Closing } from "#src/lib/close-codes.ts";

/**
 * Returns a response with status 101 whose client end is relayed to a socket of an object. Messages of either side are
 * passed to the other, and so are closes: the connection is over once both sides have closed, and the object counts it
 * until the client has replied to a close.
 *
 * The object's own response cannot be used because of the runtime (seen in workerd 1.20261102.1): if the first frame
 * that a client sends to a hibernating socket is its reply to a close, the connection stays open until the object is
 * evicted, which never happens while other sockets are busy. The pump continues after a first message even if that is
 * the close. Source: capnproto, kj/compat/http.c++, `WebSocketPipeImpl::BlockedReceive::tryPumpFrom`. A socket that a
 * Worker accepts is released when both sides have closed. The object hibernates as before; only this request stays in
 * memory.
 */
export function relaySocket(held: WebSocket): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  joinSockets(held, server);
  server.accept({ allowHalfOpen: true });
  return new Response(null, { status: 101, webSocket: client });
}

/**
 * Relays a socket that the client has already opened and that must be accepted as half open. `first` is what the client
 * has sent so far. If one side is closed already, the other is closed too.
 */
export function joinSockets(held: WebSocket, server: WebSocket, first: readonly string[] = []): void {
  handOn(held, server);
  handOn(server, held);
  // Half open, so that each side's close reaches the other instead of being replied to here.
  held.accept({ allowHalfOpen: true });
  for (const text of first) held.send(text);
  if (server.readyState > WebSocket.OPEN) close(held, ENDED);
}

function handOn(from: WebSocket, to: WebSocket): void {
  // Otherwise bytes would arrive as a blob, which `send` does not accept.
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => {
    if (to.readyState === WebSocket.OPEN) to.send(data);
  });
  from.addEventListener("close", ({ code, reason }) => close(to, closingFor(code, reason)));
  from.addEventListener("error", () => close(to, FAILED));
}

/** Does nothing if the other side is closed already. */
function close(socket: WebSocket, { code, reason }: Closing): void {
  socket.close(code, reason);
}

/** Codes that stand for a close without a code, a lost connection and the like; they must not be sent. */
const UNSENDABLE: ReadonlySet<number> = new Set([1004, 1005, 1006, 1015]);
const LOST = 1006;

/** Returns the code and reason as received if they may be sent. Source: RFC 6455, 7.4. */
function closingFor(code: number, reason: string): Closing {
  if (code === LOST) return TRY_LATER;
  return code < 1000 || code > 4999 || UNSENDABLE.has(code) ? ENDED : { code, reason };
}
