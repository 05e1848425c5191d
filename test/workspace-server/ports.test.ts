import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  buildServer,
  startWorkspaceServer,
  WITH_SECRET,
  type RunningServer,
} from "./support/start-server.ts";
import { webSocketOf } from "#test/support/socket.ts";

let server: RunningServer;
/** A program with a WebSocket that sends back the short texts it gets, by RFC 6455 and nothing else. */
const program = createServer((_, response) => response.end("page"));
program.on("upgrade", (request, socket) => {
  const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  const agreed = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  socket.write([...agreed, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
  socket.on("data", (frame: Buffer) => {
    const length = (frame[1] ?? 0) & 0x7f;
    const mask = frame.subarray(2, 6);
    const text = frame.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    socket.write(Buffer.concat([Buffer.from([frame[0] ?? 0, length]), text]));
  });
  socket.on("error", () => socket.destroy());
});
let port: number;

beforeAll(async () => {
  server = await startWorkspaceServer(await buildServer());
  await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
  const address = program.address();
  port = address instanceof Object ? address.port : 0;
});
afterAll(async () => {
  await server.stop();
  program.closeAllConnections();
  program.close();
});

const openWebSocket = (path: string) =>
  webSocketOf(`${server.url.replace("http", "ws")}${path}`, WITH_SECRET);

it("passes a WebSocket on, both ways", async () => {
  const socket = openWebSocket(`/port/${port}/live?x=1`);
  const heard = await new Promise((resolve, reject) => {
    socket.addEventListener("open", () => socket.send("hello"));
    socket.addEventListener("message", ({ data }) => resolve(data));
    socket.addEventListener("error", () => reject(new Error("refused")));
  });
  expect(heard).toBe("hello");
  socket.close();
});

it("refuses a WebSocket to a port without a listener, and to an invalid port", async () => {
  for (const path of ["/port/1/", "/port/0/", "/port/99999/"]) {
    const socket = openWebSocket(path);
    await new Promise((resolve) => socket.addEventListener("error", resolve));
  }
  expect((await fetch(`${server.url}/port/70000/`, { headers: WITH_SECRET })).status).toBe(400);
  expect(await (await fetch(`${server.url}/port/${port}/`, { headers: WITH_SECRET })).text()).toBe("page");
});
