import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { ERROR_HEADER, SECRET_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";
import { routes } from "#workspace-server/http/routes.ts";
import { Workspace } from "#workspace-server/workspace.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { buildServer, startWorkspaceServer, WITH_SECRET } from "./support/start-server.ts";
import { webSocketOf } from "#test/support/socket.ts";

/** A program of the project, and the last request that it was sent. */
let seen: IncomingMessage | undefined;
const program = createServer((request, response) => {
  seen = request;
  response.end("page");
});
/** It has a WebSocket that sends back the short texts it gets, by RFC 6455 and nothing else. */
program.on("upgrade", (request, socket) => {
  seen = request;
  const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  const agreed = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  socket.write([...agreed, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
  socket.on("data", (frame: Buffer) => {
    const length = (frame[1] ?? 0) & 0x7f;
    const mask = frame.subarray(2, 6);
    const words = frame.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    socket.write(Buffer.concat([Buffer.from([frame[0] ?? 0, length]), words]));
  });
  socket.on("error", () => socket.destroy());
});

const bundle = await buildServer();
const server = await startWorkspaceServer(bundle);
await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
const address = program.address();
const port = address instanceof Object ? address.port : 0;
afterAll(async () => {
  await server.stop();
  program.closeAllConnections();
  program.close();
});

/** Every call there is: those of the route table, and any to a port. */
async function everyCall(): Promise<{ method: string; path: string }[]> {
  const workspace = await Workspace.open(server.root);
  const listed = routes(workspace).map(({ method, path }) => ({
    method,
    path: path.replaceAll(/:[a-z]+/gu, "x"),
  }));
  const ports = ["GET", "POST", "DELETE"].map((method) => ({ method, path: `/port/${port}/x` }));
  return [...listed, ...ports, { method: "GET", path: "/no-such-call" }];
}

const WRONG: Record<string, string>[] = [
  {},
  { [SECRET_HEADER]: "" },
  { [SECRET_HEADER]: "another" },
  { [SECRET_HEADER]: `${WITH_SECRET[SECRET_HEADER]}x` },
  { authorization: `Bearer ${WITH_SECRET[SECRET_HEADER]}` },
];

describe("the workspace server's secret", () => {
  it("is wanted by every call: 401 without it", async () => {
    const calls = await everyCall();
    expect(calls.length).toBeGreaterThan(25);
    for (const [place, { method, path }] of calls.entries()) {
      // Each call without any, and one call with every wrong one.
      for (const headers of place === 0 ? WRONG : WRONG.slice(0, 1)) {
        const response = await fetch(`${server.url}${path}`, { method, headers });
        expect([method, path, response.status]).toEqual([method, path, 401]);
        expect(response.headers.get(ERROR_HEADER)).toBe("unauthenticated");
      }
    }
    expect(seen).toBeUndefined();
  });

  it("lets each of these calls in", async () => {
    for (const { method, path } of await everyCall()) {
      const body = method === "POST" || method === "PUT" ? "{}" : null;
      const response = await fetch(`${server.url}${path}`, { method, headers: WITH_SECRET, body });
      expect([method, path, response.status]).not.toEqual([method, path, 401]);
      await response.body?.cancel();
    }
    await server.reset();
    seen = undefined;
  });

  it("is wanted by every upgrade, also one that names no port", async () => {
    for (const path of [`/port/${port}/`, "/shells/x/stream?position=0", "/health", "/port/0/"]) {
      for (const headers of WRONG) expect([path, await upgrade(path, headers)]).toEqual([path, 401]);
    }
    expect(seen).toBeUndefined();
    expect(await upgrade(`/port/${port}/`, WITH_SECRET)).toBe(101);
  });

  it("is not handed on to programs", async () => {
    const answer = await fetch(`${server.url}/port/${port}/`, { headers: WITH_SECRET });
    expect(await answer.text()).toBe("page");
    expect(seen?.headers).not.toHaveProperty(SECRET_HEADER);
    await upgrade(`/port/${port}/`, WITH_SECRET);
    expect(seen?.headers).not.toHaveProperty(SECRET_HEADER);
  });

  it("opens a WebSocket to a port both ways, and none to a port without a listener or an invalid one", async () => {
    const open = (path: string) => webSocketOf(`${server.url.replace("http", "ws")}${path}`, WITH_SECRET);
    const socket = open(`/port/${port}/live?x=1`);
    const heard = await new Promise((resolve, reject) => {
      socket.addEventListener("open", () => socket.send("hello"));
      socket.addEventListener("message", ({ data }) => resolve(data));
      socket.addEventListener("error", () => reject(new Error("refused")));
    });
    expect(heard).toBe("hello");
    socket.close();
    for (const path of ["/port/1/", "/port/0/", "/port/99999/"]) {
      await new Promise((resolve) => open(path).addEventListener("error", resolve));
    }
    expect((await fetch(`${server.url}/port/70000/`, { headers: WITH_SECRET })).status).toBe(400);
  });

  it("does not open the server's own port through itself", async () => {
    const own = new URL(server.url).port;
    const response = await fetch(`${server.url}/port/${own}/processes`, { headers: WITH_SECRET });
    expect(response.status).toBe(401);
  });

  it("cannot be read by a program: the server's command line and environment have its hash alone", async () => {
    const command = 'cat "/proc/$PPID/cmdline" "/proc/$PPID/environ" /proc/self/environ';
    const { stdout } = await server.runtime.exec(command, { timeoutMs: HANGS_MS });
    expect(stdout).toContain("--secret-sha256");
    expect(stdout).not.toContain(WITH_SECRET[SECRET_HEADER]);
  });

  it.each([[[]], [["--secret-sha256", "secret"]]])("is a condition of starting: %j", async (option) => {
    const args = [bundle, "serve", "--root", tmpdir(), "--listen", "0", ...option];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    const [complaint] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(child.exitCode).not.toBe(0);
    expect(complaint).toContain("--secret-sha256");
  });
});

/** The status of the answer to a request for a WebSocket. */
function upgrade(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = { connection: "Upgrade", upgrade: "websocket", ...headers };
    const request = httpRequest(`${server.url}${path}`, { headers: asked, agent: false });
    request.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    request.on("error", reject);
    request.end();
  });
}
