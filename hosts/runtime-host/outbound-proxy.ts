import { chmodSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { pipeline, type Duplex } from "node:stream";
import { checkOutboundUrl, hostOf, isPublicAddress, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import {
  checkedLookup,
  PrivateAddress,
  resolveWithSystem,
  type Resolve,
} from "#hosts/egress/checked-lookup.ts";
import { withoutConnection } from "./without-connection.ts";

export type ProxyPolicy = OutboundPolicy & { resolve?: Resolve };

const CONNECT_TIMEOUT_MS = 30_000;
/** An idle tunnel is closed after this time. */
const IDLE_TIMEOUT_MS = 600_000;
const MAX_CONNECTIONS = 1_000;
/** Lower ports include mail, databases and remote logins, which a web proxy must not serve. */
const FIRST_FREE_PORT = 1024;
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);

/**
 * The outer end of the sandboxes' outbound access: an HTTP proxy on a Unix socket in `dir`. It resolves, checks, and
 * connects to the checked address, by the same rules as for every other address that users supply.
 */
export async function startOutboundProxy(
  dir: string,
  socketName: string,
  policy: ProxyPolicy,
): Promise<{ close: () => Promise<void> }> {
  const server = http.createServer((request, response) => passOn(request, response, policy));
  server.on("connect", (request, socket: Duplex, head: Buffer) =>
    tunnel(request.url ?? "", socket, head, policy),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const tunnels = new Set<net.Socket>();
  server.on("connection", (socket) => {
    tunnels.add(socket);
    socket.once("close", () => tunnels.delete(socket));
  });
  const file = path.join(dir, socketName);
  rmSync(file, { force: true });
  // Through the open folder, because the path of a Unix socket has at most 107 bytes.
  const folder = await open(dir);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(`/proc/self/fd/${folder.fd}/${socketName}`, resolve);
    });
  } finally {
    await folder.close();
  }
  chmodSync(file, 0o666);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of tunnels) socket.destroy();
      }),
  };
}

/** Serves `GET http://host/path`. */
function passOn(request: http.IncomingMessage, response: http.ServerResponse, policy: ProxyPolicy): void {
  const target = URL.parse(request.url ?? "");
  const refusal =
    target?.protocol === "http:"
      ? refusalOf(target, policy)
      : "The proxy takes http:// addresses and CONNECT";
  if (target === null || refusal !== undefined) {
    response.writeHead(403, { "content-type": "text/plain; charset=utf-8" }).end(`${refusal}\n`);
    return;
  }
  const outgoing = http.request(target.href, {
    method: request.method,
    headers: { ...withoutConnection(request.headers), host: target.host },
    agent: false,
    lookup: lookupFor(target, policy),
    timeout: IDLE_TIMEOUT_MS,
  });
  outgoing.on("timeout", () => outgoing.destroy());
  outgoing.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(statusFor(error)).end(`${error.message}\n`);
  });
  outgoing.on("response", (incoming) => {
    const answered = withoutConnection(incoming.headers);
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, answered);
    pipeline(incoming, response, () => undefined);
  });
  response.on("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

/** Serves `CONNECT host:port`. */
function tunnel(authority: string, socket: Duplex, head: Buffer, policy: ProxyPolicy): void {
  socket.on("error", () => socket.destroy());
  const refuse = (status: string, sentence: string) =>
    socket.end(`HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${sentence}\n`);
  const target = URL.parse(`https://${authority}/`);
  const refusal = target === null ? "Not a valid address" : refusalOf(target, policy);
  if (target === null || refusal !== undefined) {
    refuse("403 Forbidden", refusal ?? "");
    return;
  }
  const outer = net.connect({
    host: hostOf(target),
    port: portOf(target),
    lookup: lookupFor(target, policy),
    timeout: CONNECT_TIMEOUT_MS,
  });
  socket.once("close", () => outer.destroy());
  outer.once("timeout", () => outer.destroy(new Error("The server does not answer")));
  outer.once("error", (error) => refuse(`${statusFor(error)} Refused`, error.message));
  outer.once("connect", () => {
    outer.removeAllListeners("error");
    outer.removeAllListeners("timeout");
    outer.setTimeout(IDLE_TIMEOUT_MS, () => outer.destroy());
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) outer.write(head);
    pipeline(socket, outer, socket, () => {
      socket.destroy();
      outer.destroy();
    });
  });
}

function refusalOf(target: URL, policy: ProxyPolicy): string | undefined {
  const refusal = isNamed(target, policy) ? undefined : checkOutboundUrl(target.href, policy);
  if (refusal !== undefined || policy.allowPrivate || isNamed(target, policy)) return refusal;
  const port = portOf(target);
  const isWeb = WEB_PORTS.has(port) || port >= FIRST_FREE_PORT;
  return isWeb ? undefined : `Port ${port} is not for the web`;
}

/** Checks allowed origins under both protocols, because a tunnel does not reveal its protocol. */
function isNamed(target: URL, { allowedOrigins }: ProxyPolicy): boolean {
  const port = portOf(target);
  return allowedOrigins.some((origin) => {
    const allowed = URL.parse(origin);
    return allowed !== null && allowed.hostname === target.hostname && portOf(allowed) === port;
  });
}

function lookupFor(target: URL, policy: ProxyPolicy): net.LookupFunction {
  const isFree = policy.allowPrivate || isNamed(target, policy);
  return checkedLookup(policy.resolve ?? resolveWithSystem, isFree ? () => true : isPublicAddress);
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function statusFor(error: Error): 403 | 502 {
  return error instanceof PrivateAddress ? 403 : 502;
}
