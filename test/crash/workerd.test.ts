import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startReceiver } from "#test/local/support/receiver.ts";
import { apiClient } from "#test/support/api-client.ts";
import { newDataDir } from "#test/support/data-dir.ts";
import { spawnService, type ServiceProcess } from "#test/support/process.ts";
import { seeded } from "#test/support/random.ts";
import { tooSlow, Traffic } from "./support/traffic.ts";
import { verifyTask } from "./support/verify.ts";

const KILLS = 2;

const dataDir = newDataDir();
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let service: ServiceProcess;

beforeAll(async () => {
  receiver = await startReceiver();
  service = spawnService({
    PORT: "0",
    DATA_DIR: dataDir,
    KEY_RATE_BURST: "0",
    USER_RATE_PER_MINUTE: "0",
    CHAT_RATE_PER_MINUTE: "0",
    OUTBOUND_ALLOW_PRIVATE: "true",
  });
  await service.ready;
});
afterAll(async () => {
  await service.kill();
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});

it("a workerd that dies alone is started again, a person is told, and its tasks go on", async () => {
  const url = await service.ready;
  const api = apiClient(url);
  const { token } = await api.signUp();
  const { id: projectId } = await api.newProject(token);
  const { key } = await api.newKey(token);
  const traffic = new Traffic({ key, projectIds: [projectId], webhookUrl: receiver.url, random: seeded(7) });
  let over = new AbortController();
  traffic.up({ url, readyAt: Date.now(), over: over.signal });
  traffic.run(3);
  for (let kills = 1; kills <= KILLS; kills += 1) {
    await vi.waitFor(() => expect(traffic.underWay).toBeGreaterThanOrEqual(3));
    await service.kill("workerd", () => over.abort());
    await vi.waitFor(async () => expect((await fetch(`${url}/ready`)).status).toBe(200));
    over = new AbortController();
    traffic.up({ url, readyAt: Date.now(), over: over.signal });
  }
  await traffic.finish();

  expect(service.stderr()).toMatch(/crashed unexpectedly and is being restarted/u);
  for (const task of traffic.acknowledged) await verifyTask({ api, key, token }, task);
  expect(traffic.recoveries.length).toBeGreaterThan(0);
  expect(tooSlow(traffic.recoveries, service.startMs())).toEqual([]);
});
