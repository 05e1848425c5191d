import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { holdPort } from "#local/port.ts";
import { startWorker, type RunningWorker } from "#local/worker/index.ts";

/** Returns what a server that it asks has seen; its cron trigger asks as well. */
const ASKING = `export default {
  fetch: (request, { SERVER }) => fetch(SERVER, { headers: { "x-own": "1" } }),
  scheduled: (controller, { SERVER }) => fetch(SERVER + "?" + controller.cron),
};`;

const Seen = z.record(z.string(), z.string());

describe("the Worker's way to the network", () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "direct-network-"));
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end(JSON.stringify(request.headers));
  });
  let worker: RunningWorker;
  let port: number;

  beforeAll(async () => {
    writeFileSync(path.join(dataDir, "worker.js"), ASKING);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const held = await holdPort("127.0.0.1", 0);
    ({ port } = held);
    await held.release();
    worker = await startWorker(
      {
        modules: [{ type: "ESModule", path: path.join(dataDir, "worker.js") }],
        modulesRoot: dataDir,
        options: { bindings: {}, cronTriggers: [], modulesRules: undefined, compatibilityDate: "2026-11-01" },
      },
      { host: "127.0.0.1", port, dataDir, variables: { SERVER: address }, onRestart: () => {} },
    );
  });

  afterAll(async () => {
    await worker.close();
    server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("passes no Worker of Miniflare, which would add a header", async () => {
    const seen = Seen.parse(await (await fetch(`http://127.0.0.1:${port}/`)).json());
    expect(seen).toMatchObject({ "x-own": "1" });
    expect(Object.keys(seen)).not.toContain("cf-worker");
  });

  it("leaves the service the one that cron triggers reach", async () => {
    await worker.runCron("* * * * *");
    expect(asked.at(-1)).toContain("*");
  });
});
