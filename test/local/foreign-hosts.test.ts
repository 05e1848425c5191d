import { globSync, readFileSync } from "node:fs";
import http from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { sharedService } from "#test/support/shared-service.ts";

const { stack } = sharedService();

/** What the Worker or a person is told of servers on this machine, the Worker aside: its name, and the address. */
const servers = Object.entries({ ...stack, ...stack.variables }).flatMap(
  ([name, value]): [string, string][] => {
    const [address] = /(?<=^https?:\/\/)127\.0\.0\.1:\d+/u.exec(typeof value === "string" ? value : "") ?? [];
    return address === undefined || address === new URL(stack.url).host ? [] : [[name, `http://${address}`]];
  },
);

async function ask(url: string, host: string, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  http.get(url, { headers: { host, ...headers }, agent: false }, resolve).once("error", reject);
  const response = await promise;
  return { status: response.statusCode, body: await text(response) };
}

const UPGRADE = { connection: "Upgrade", upgrade: "websocket" };
const REFUSED = { status: 403, body: expect.stringContaining("by its address") };

describe("a local server", () => {
  it.each(servers)("answers no page that reaches it by a name of its own: %s", async (_, url) => {
    const { host, port } = new URL(url);
    for (const foreign of [
      `rebound.example:${port}`,
      "rebound.example",
      `127.0.0.1.rebound.example:${port}`,
    ]) {
      expect(await ask(url, foreign)).toEqual(REFUSED);
      expect(await ask(url, foreign, UPGRADE)).toEqual(REFUSED);
    }
    for (const own of [host, `localhost:${port}`, `[::1]:${port}`]) {
      expect(await ask(url, own)).not.toEqual(REFUSED);
    }
  });

  it("that takes names refuses all others", async () => {
    const server = await serve((_, response) => void response.end("hello"), {
      isOwnName: (name) => name.endsWith(".localhost"),
    });
    expect(await ask(server.url, "site.localhost")).toEqual({ status: 200, body: "hello" });
    expect(await ask(server.url, "rebound.example")).toEqual(REFUSED);
    await server.close();
  });

  it("is made in one place; the others hold a port, or listen on a file", () => {
    const makers = globSync("{local,stand-ins,hosts}/**/*.ts").filter((file) =>
      /createServer\(|createSecureServer\(/u.test(readFileSync(file, "utf8")),
    );
    expect(makers.toSorted()).toEqual([
      "hosts/runtime-host/outbound-proxy.ts",
      "local/port.ts",
      "local/serve.ts",
    ]);
  });
});
