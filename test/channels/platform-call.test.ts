import { once } from "node:events";
import http from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  answerJson,
  busy,
  callForFile,
  callPlatform,
  type PlatformCall,
  quoted,
  retryAfterOf,
} from "#src/channels/platform-call.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";

const SECRET = "token-that-is-secret";
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

async function platform(handler: http.RequestListener): Promise<Omit<PlatformCall, "isSend">> {
  const server = http.createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = address instanceof Object ? address.port : 0;
  return { fetch, label: "Chat", url: `http://127.0.0.1:${port}/${SECRET}`, method: "POST" };
}

async function failure(work: Promise<unknown>): Promise<PlatformFailure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PlatformFailure)) throw new Error("Expected a PlatformFailure");
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(SECRET);
  return error;
}

describe("a call at a platform", () => {
  it("returns status, headers and body", async () => {
    const call = await platform((_, response) =>
      response.writeHead(429, { "retry-after": "3" }).end('{"a":1}'),
    );
    const answer = await callPlatform(call);
    expect(answer.status).toBe(429);
    expect(retryAfterOf(answer)).toBe(3);
    expect(answerJson(answer, z.object({ a: z.number() }))).toEqual({ a: 1 });
    expect(answerJson(answer, z.object({ b: z.number() }))).toBeUndefined();
  });

  it("follows no redirect", async () => {
    const paths: unknown[] = [];
    const call = await platform((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect((await callPlatform(call)).status).toBe(302);
    expect(paths).toEqual([`/${SECRET}`]);
  });

  it("fails as unreachable, and says that a send may have happened", async () => {
    const call = await platform((request) => request.socket.destroy());
    expect(await failure(callPlatform(call))).toMatchObject({ kind: "unreachable", mayHaveHappened: false });
    expect(await failure(callPlatform({ ...call, isSend: true }))).toMatchObject({ mayHaveHappened: true });
    expect(await failure(callPlatform({ ...call, url: `not an address ${SECRET}` }))).toMatchObject({
      kind: "unreachable",
    });
  });

  it("ends after its time, before the answer and within it", async () => {
    const silent = await platform(() => {});
    const slow = await platform((_, response) => response.writeHead(200).write("{"));
    for (const call of [silent, slow]) {
      const error = await failure(callPlatform({ ...call, timeoutMs: 50 }));
      expect(error).toMatchObject({ kind: "unreachable", message: "Chat did not answer in time." });
    }
  });

  it("reads no answer above 1 MiB, and no file above its limit", async () => {
    const call = await platform((_, response) => {
      response.writeHead(200);
      for (let part = 0; part < 32; part += 1) response.write("x".repeat(64 * 1024));
      response.end();
    });
    expect(await failure(callPlatform(call))).toMatchObject({ kind: "unreachable" });
    expect(await failure(callForFile(call, 2 * 1024 * 1024 - 1))).toMatchObject({ kind: "refused" });
    expect((await callForFile(call, 2 * 1024 * 1024)).bytes.byteLength).toBe(2 * 1024 * 1024);
    const announced = await platform((_, response) =>
      response.writeHead(200, { "content-length": "11" }).end("x"),
    );
    expect(await failure(callForFile(announced, 10))).toMatchObject({ kind: "refused" });
  });
});

it("takes no number of seconds that is none", () => {
  const call = { label: "Chat" };
  expect(busy(call, 1.5).retryAfterSeconds).toBe(1.5);
  expect(busy(call, -1).retryAfterSeconds).toBe(0);
  expect(busy(call, Number.NaN).retryAfterSeconds).toBeUndefined();
});

it("quotes a refusal on one line, without secrets", () => {
  expect(quoted(`no\n${SECRET} ${"x".repeat(500)}`, [SECRET, ""])).toMatch(/^no … x{195}$/u);
});
