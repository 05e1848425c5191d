import { once } from "node:events";
import { afterAll, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { startEgress } from "#hosts/egress/index.ts";
import { serve } from "#local/serve.ts";
import { EGRESS_REQUEST_HEADER, encodeHeader } from "#src/platform/safe-fetch/egress-protocol.ts";

/** Addresses of those who reached the target. */
const reached: string[] = [];

const sockets = new WebSocketServer({ noServer: true });
const target = await serve((_request, response) => void response.writeHead(418).end("no socket here"), {
  // It would refuse other names itself.
  isOwnName: () => true,
  onUpgrade: (request, socket, head) => {
    reached.push(request.url ?? "");
    if (request.url === "/refused") {
      socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.send("hello");
      accepted.on("message", (data, isBinary) => accepted.send(data, { binary: isBinary }));
    });
  },
});
afterAll(() => target.close());

const toThisMachine = async () => [{ address: "127.0.0.1", family: 4 }];

function open(egressUrl: string, url: string): WebSocket {
  const request = { url, method: "GET", headers: {}, maxBytes: 0, timeoutMs: 1 };
  const socket = new WebSocket(egressUrl.replace("http", "ws"), {
    headers: { [EGRESS_REQUEST_HEADER]: encodeHeader(request) },
  });
  socket.on("error", () => undefined);
  return socket;
}

/** The status with which a socket is answered; 101 for one that opens. */
function statusOf(socket: WebSocket): Promise<number | undefined> {
  return new Promise((resolve) => {
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (_, response) => resolve(response.statusCode));
  });
}

it("connects sockets to addresses that are allowed, until one end closes", async () => {
  const egress = await startEgress({ allowPrivate: false, allowedOrigins: [target.url] });
  const socket = open(egress.url, `${target.url}/socket`);
  const [greeting] = await once(socket, "message");
  expect(String(greeting)).toBe("hello");
  socket.send("and back");
  const [echo] = await once(socket, "message");
  expect(String(echo)).toBe("and back");
  socket.close(1000);
  const [code] = await once(socket, "close");
  expect(code).toBe(1000);
  await egress.close();
});

it("passes on that a server refuses the socket", async () => {
  const egress = await startEgress({ allowPrivate: true, allowedOrigins: [] });
  await expect(statusOf(open(egress.url, `${target.url}/refused`))).resolves.toBe(404);
  await egress.close();
});

it.each([
  ["an address of this machine", () => `${target.url}/private`],
  ["a name that resolves to one", () => `http://rebound.example:${new URL(target.url).port}/named`],
])("refuses %s, and does not reach it", async (_name, url) => {
  const egress = await startEgress({ allowPrivate: false, allowedOrigins: [], resolve: toThisMachine });
  const before = reached.length;
  await expect(statusOf(open(egress.url, url()))).resolves.toBe(403);
  expect(reached).toHaveLength(before);
  await egress.close();
});
