import { FAILED, ENDED, TRY_LATER, type Closing } from "#src/lib/close-codes.ts";

/**
 * A client's end for a socket that an object holds, in an answer with status 101. What either side sends is handed to the
 * other, and so is the end: the connection is over once both have closed, and until a client has answered a close the object
 * still counts it.
 *
 * The object's own answer would do, were it not for the runtime (seen in workerd 1.20261102.1): where the first thing that a
 * client sends to a hibernating socket is its answer to a close, the connection stays open until the object is evicted, which
 * it never is while others are busy there. The pump goes on after a first message also where that is the close. Source:
 * capnproto, kj/compat/http.c++, `WebSocketPipeImpl::BlockedReceive::tryPumpFrom`. A socket that a Worker accepts is let go of
 * when both have closed. The object hibernates as before; what stays in memory is this request.
 */
export function relaySocket(held: WebSocket): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  joinSockets(held, server);
  server.accept({ allowHalfOpen: true });
  return new Response(null, { status: 101, webSocket: client });
}

/**
 * The same for a socket that a client has opened already, which is to be accepted as half open. `first` is what the client has
 * sent so far. One that is closed already closes the other.
 */
export function joinSockets(held: WebSocket, server: WebSocket, first: readonly string[] = []): void {
  handOn(held, server);
  handOn(server, held);
  // Half open, so that each side's close reaches the other one instead of being answered here.
  held.accept({ allowHalfOpen: true });
  for (const text of first) held.send(text);
  if (server.readyState > WebSocket.OPEN) close(held, ENDED);
}

function handOn(from: WebSocket, to: WebSocket): void {
  // Else bytes would come as a blob, which `send` does not take.
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => {
    if (to.readyState === WebSocket.OPEN) to.send(data);
  });
  from.addEventListener("close", ({ code, reason }) => close(to, closingFor(code, reason)));
  from.addEventListener("error", () => close(to, FAILED));
}

/** Nothing where the other side has been closed already. */
function close(socket: WebSocket, { code, reason }: Closing): void {
  socket.close(code, reason);
}

/** Codes that stand for a close without a code, for a lost connection and the like, which nobody may send. */
const UNSENDABLE: ReadonlySet<number> = new Set([1004, 1005, 1006, 1015]);
const LOST = 1006;

/** As it came, where it may be sent on. Source: RFC 6455, 7.4. */
function closingFor(code: number, reason: string): Closing {
  if (code === LOST) return TRY_LATER;
  return code < 1000 || code > 4999 || UNSENDABLE.has(code) ? ENDED : { code, reason };
}
