import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { checkOutboundUrl, isPublicAddress, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import type { EgressRequest } from "#src/platform/safe-fetch/egress-protocol.ts";
import { checkedLookup, PrivateAddress, resolveWithSystem, type Resolve } from "./checked-lookup.ts";

/** Headers of a WebSocket's handshake, which both ends make out between themselves. */
const HANDSHAKE = /^sec-websocket-/iu;

/**
 * Connects a WebSocket to an address that a user supplied, as requests are: resolved, checked, and connected to exactly the
 * checked address. A server that refuses the socket has its status passed on, without a body.
 */
export function forwardUpgrade(
  wanted: EgressRequest,
  request: http.IncomingMessage,
  socket: Duplex,
  head: Buffer,
  policy: OutboundPolicy & { resolve?: Resolve },
): void {
  socket.on("error", () => socket.destroy());
  const refusal = checkOutboundUrl(wanted.url, policy);
  if (refusal !== undefined) {
    respond(socket, 403, refusal);
    return;
  }
  const target = new URL(wanted.url);
  const isFree = policy.allowPrivate || policy.allowedOrigins.includes(target.origin);
  const outgoing = (target.protocol === "https:" ? https : http).request(target.href, {
    headers: {
      ...(wanted.headers["user-agent"] !== undefined && { "user-agent": wanted.headers["user-agent"] }),
      ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => HANDSHAKE.test(name))),
      connection: "Upgrade",
      upgrade: "websocket",
    },
    agent: false,
    lookup: checkedLookup(policy.resolve ?? resolveWithSystem, isFree ? () => true : isPublicAddress),
  });
  outgoing.on("upgrade", (incoming, inner, innerHead) => {
    const headers = Object.entries(incoming.headers)
      .filter(([name]) => HANDSHAKE.test(name))
      .map(([name, value]) => `${name}: ${String(value)}\r\n`)
      .join("");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${headers}\r\n`,
    );
    if (innerHead.length > 0) socket.write(innerHead);
    if (head.length > 0) inner.write(head);
    inner.on("error", () => inner.destroy());
    inner.on("close", () => socket.destroy());
    socket.on("close", () => inner.destroy());
    inner.pipe(socket);
    socket.pipe(inner);
  });
  outgoing.on("response", (incoming) => {
    incoming.destroy();
    respond(socket, incoming.statusCode ?? 502, "");
  });
  outgoing.on("error", (error) =>
    respond(socket, error instanceof PrivateAddress ? 403 : 502, error.message),
  );
  socket.on("close", () => outgoing.destroy());
  outgoing.end();
}

function respond(socket: Duplex, status: number, sentence: string): void {
  if (socket.destroyed || socket.writableEnded) return;
  const length = Buffer.byteLength(sentence);
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${length}\r\n\r\n${sentence}`,
  );
}
