import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { queryObjects } from "node:v8";
import { Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { holdPort } from "#local/port.ts";
import { serve } from "#local/serve.ts";
import { startWorker } from "#local/worker/index.ts";

/** Responds with what it sees of a request, or what a server that it asks has seen; its cron trigger asks as well. */
const PROGRAM = `export default {
  fetch: (request, { SERVER }) =>
    request.url.endsWith("/ask")
      ? fetch(SERVER, { headers: { "x-own": "1" } })
      : Response.json({ cf: request.cf ?? null, headers: [...request.headers.keys()] }),
  scheduled: (controller, { SERVER }) => fetch(SERVER + "/?" + controller.cron),
};`;

const Seen = z.object({ cf: z.looseObject({ clientIp: z.string() }), headers: z.array(z.string()) });

/** An address of this machine that is not the loopback's. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === "IPv4" && !each.internal)?.address;

const dataDir = mkdtempSync(path.join(tmpdir(), "worker-network-"));
const asked: string[] = [];

writeFileSync(path.join(dataDir, "worker.js"), PROGRAM);
const server = await serve((request, response) => {
  asked.push(request.url ?? "");
  response.end(JSON.stringify(request.headers));
});
const held = await holdPort("0.0.0.0", 0);
const { port } = held;
await held.release();
const worker = await startWorker(
  {
    modules: [{ type: "ESModule", path: path.join(dataDir, "worker.js") }],
    modulesRoot: dataDir,
    options: { bindings: {}, cronTriggers: [], modulesRules: undefined, compatibilityDate: "2026-11-01" },
  },
  { host: "0.0.0.0", port, dataDir, variables: { SERVER: server.url }, onRestart: () => {} },
);

afterAll(async () => {
  await worker.close();
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("the Worker's way to the network", () => {
  it("passes no Worker of Miniflare, which would add a header", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/ask`);
    const seen = z.record(z.string(), z.string()).parse(await answer.json());
    expect(seen).toMatchObject({ "x-own": "1" });
    expect(Object.keys(seen)).not.toContain("cf-worker");
  });

  it("leaves the service the one that cron triggers reach", async () => {
    await worker.runCron("* * * * *");
    expect(asked.at(-1)).toContain("*");
  });
});

async function see(host: string, headers: Record<string, string> = {}) {
  const request = http.get({ host, port, headers, agent: false });
  const [response] = await once(request, "response");
  return Seen.parse(await json(response));
}

describe("the socket of the service", () => {
  it("names the peer", async () => {
    for (const host of ["127.0.0.1", ...(ownAddress === undefined ? [] : [ownAddress])]) {
      const [address] = (await see(host)).cf.clientIp.split(":");
      expect(address).toBe(host);
    }
  });

  it("does not believe a client that names itself", async () => {
    const blob = JSON.stringify({ clientIp: "6.6.6.6" });
    const forged = { "MF-CF-Blob": blob, "CF-Blob": blob, "CF-Connecting-IP": "6.6.6.6" };
    const { cf, headers } = await see("127.0.0.1", forged);
    expect(Object.keys(cf)).toEqual(["clientIp"]);
    expect(cf.clientIp).toMatch(/^127\.0\.0\.1:\d+$/u);
    // They arrive as what they are: headers of the client's.
    expect(headers).toContain("mf-cf-blob");
  });

  it("opens no session by which a client could call the Worker's methods", async () => {
    const request = http.request({
      host: "127.0.0.1",
      port,
      method: "CONNECT",
      path: "miniflare-unsafe-internal-capnp-connect",
    });
    request.end();
    const [response] = await once(request, "connect");
    request.destroy();
    expect(response.statusCode).toBe(500);
  });
});

/** How many there are that something holds. */
function inMemory(): number {
  return queryObjects(Miniflare, { format: "count" });
}

// After the others, which need the Worker that this closes.
describe("a Worker that is closed", () => {
  it("lets go of its bundle, also where something holds the Worker", async () => {
    const before = inMemory();
    await worker.close();
    await expect.poll(inMemory).toBeLessThan(before);
    await expect(worker.runCron("* * * * *")).rejects.toThrow("it is closed");
  });
});
