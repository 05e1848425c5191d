import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { startReceiver } from "#test/local/support/receiver.ts";
import { apiClient } from "#test/support/api-client.ts";
import { spawnService, type ServiceProcess, type Victim } from "#test/support/process.ts";
import { seeded } from "#test/support/random.ts";
import { limitFor } from "./support/patience.ts";
import { tooSlow, Traffic, type Recovery } from "./support/traffic.ts";
import { verifyCallbacks, verifyNoOthers, verifyTask, type Scars } from "./support/verify.ts";

/** `CRASH_KILLS=25` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 3);
const SEED = inject("fuzzSeed");
const LANES = 4;

const dataDir = mkdtempSync(join(tmpdir(), "workspace-crash-"));
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await service?.kill();
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** As a person would start it, on the port it had before. */
function start(port: string): ServiceProcess {
  service = spawnService({
    PORT: port,
    DATA_DIR: dataDir,
    KEY_RATE_BURST: "0",
    USER_RATE_PER_MINUTE: "0",
    CHAT_RATE_PER_MINUTE: "0",
    OUTBOUND_ALLOW_PRIVATE: "true",
  });
  return service;
}

it(
  `loses nothing when it is killed ${KILLS} times (seed ${SEED})`,
  async () => {
    const random = seeded(SEED);
    // The very first start is not spared either: it makes the database.
    let running = start("0");
    await pause(random.between(500, 5_000));
    await running.kill();
    running = start("0");
    const url = await running.ready;
    let slowestStartMs = 0;
    const { port } = new URL(url);
    const api = apiClient(url);
    const { token } = await api.signUp();
    const projects = [await api.newProject(token), await api.newProject(token)];
    const { key, webhookSecret } = await api.newKey(token);
    const traffic = new Traffic({
      key,
      projectIds: projects.map(({ id }) => id),
      webhookUrl: receiver.url,
      random,
    });
    traffic.run(LANES);
    let over = new AbortController();
    traffic.up({ url, readyAt: Date.now(), over: over.signal });
    for (let kills = 0; kills < KILLS; kills += 1) {
      await Promise.race([traffic.failed, pause(random.between(200, 9_000))]);
      // So that requests are under way when it dies.
      traffic.burst(3);
      await pause(random.between(0, 60));
      const victim: Victim = random.chance(0.25) ? "node" : "everything";
      const gone = running.kill(victim);
      over.abort();
      await gone;
      running = start(port);
      // Sometimes it is killed again before it is ready.
      if (random.chance(0.2)) {
        await pause(random.between(200, 3_000));
        await running.kill();
        running = start(port);
      }
      await running.ready;
      slowestStartMs = Math.max(slowestStartMs, running.startMs());
      over = new AbortController();
      traffic.up({ url, readyAt: Date.now(), over: over.signal });
    }
    await traffic.finish();

    const verifier = { api, key, token };
    const tasks = traffic.acknowledged;
    const scars: Scars[] = [];
    for (const task of tasks) scars.push(await verifyTask(verifier, task));
    await verifyNoOthers(verifier, tasks);
    await vi.waitFor(() => verifyCallbacks(tasks, receiver.deliveries, webhookSecret), { interval: 500 });
    report(tasks.length, traffic.recoveries, scars, tasks.filter(({ requests }) => requests > 1).length);
    expect(tooSlow(traffic.recoveries, slowestStartMs)).toEqual([]);
  },
  limitFor(KILLS),
);

function report(tasks: number, recoveries: readonly Recovery[], scars: readonly Scars[], repeated: number) {
  const sorted = recoveries.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const sum = (name: keyof Scars) => scars.reduce((total, scar) => total + scar[name], 0);
  process.stderr.write(
    [
      `${KILLS} kills, seed ${SEED}: ${tasks} tasks, ${repeated} of them asked for more than once`,
      `  ready to new event: ${sorted.length} times, min ${sorted[0]} ms, p50 ${sorted[Math.floor(sorted.length / 2)]} ms, max ${sorted.at(-1)} ms`,
      `  turns begun anew ${sum("restarts")}, calls answered as interrupted ${sum("interrupted")}, of which ${sum("doublesPrevented")} had run`,
      "",
    ].join("\n"),
  );
}
