import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startOutboundProxy, type ProxyPolicy } from "#hosts/runtime-host/outbound-proxy.ts";
import { serve } from "#local/serve.ts";

// It would refuse other names itself.
const target = await serve((_, response) => void response.end(), { isOwnName: () => true });
const named = `rebound.example:${new URL(target.url).port}`;
const dir = mkdtempSync(join(tmpdir(), "outbound-proxy-"));
afterAll(async () => {
  await target.close();
  rmSync(dir, { recursive: true, force: true });
});

const toThisMachine = async () => [{ address: "127.0.0.1", family: 4 }];

/** How a program of a project goes through the proxy, and the status of what it is told. */
const WAYS: Readonly<Record<string, (socketPath: string) => Promise<number | undefined>>> = {
  "a request": (socketPath) =>
    new Promise((resolve, reject) => {
      http
        .get({ socketPath, path: `http://${named}/`, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .once("error", reject);
    }),
  "a tunnel": (socketPath) =>
    new Promise((resolve, reject) => {
      http
        .request({ socketPath, method: "CONNECT", path: named, agent: false })
        .once("connect", ({ statusCode }, socket) => {
          socket.destroy();
          resolve(statusCode);
        })
        .once("error", reject)
        .end();
    }),
};

describe.each(Object.entries(WAYS))("%s to a name that leads to this machine", (_, ask) => {
  async function statusUnder(policy: Partial<ProxyPolicy>): Promise<number | undefined> {
    const proxy = await startOutboundProxy(dir, "proxy.sock", {
      allowPrivate: false,
      allowedOrigins: [],
      resolve: toThisMachine,
      ...policy,
    });
    try {
      return await ask(join(dir, "proxy.sock"));
    } finally {
      await proxy.close();
    }
  }

  it("is refused", async () => {
    expect(await statusUnder({})).toBe(403);
  });

  it("goes through where the operator has named it", async () => {
    expect(await statusUnder({ allowedOrigins: [`http://${named}`] })).toBe(200);
  });
});
