import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Faults } from "#local/queue/faults.ts";
import { startReceiver } from "#test/local/support/receiver.ts";
import { seeded } from "#test/support/random.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { Traffic } from "./support/traffic.ts";
import { verifyCallbacks, verifyNoOthers, verifyTask } from "./support/verify.ts";

const TASKS = 6;

let service: TestService;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
const faults: Faults = {};
beforeAll(async () => {
  [service, receiver] = await Promise.all([
    startService({ OUTBOUND_ALLOW_PRIVATE: "true" }, { faults }),
    startReceiver(),
  ]);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const NONE: Faults = { duplicate: false, shuffle: false, failFirst: false };

it.each<[string, Faults]>([
  ["every message arrives twice", { duplicate: true }],
  ["messages overtake one another", { shuffle: true }],
  ["every first delivery fails", { failFirst: true }],
  ["all of this at once", { duplicate: true, shuffle: true, failFirst: true }],
])("when %s, tasks do what they do with a queue that never errs", async (_, present) => {
  Object.assign(faults, NONE, present);
  const { token } = await service.signUp();
  const { id: projectId } = await service.newProject(token);
  const { key, webhookSecret } = await service.newKey(token);
  const traffic = new Traffic({
    key,
    projectIds: [projectId],
    webhookUrl: receiver.url,
    random: seeded(1),
    pace: 0.2,
  });
  traffic.up({ url: service.url, readyAt: Date.now(), over: new AbortController().signal });
  traffic.run(0);
  traffic.burst(TASKS);
  await traffic.finish();

  const verifier = { api: service, key, token };
  const tasks = traffic.acknowledged;
  expect(tasks).toHaveLength(TASKS + 3);
  for (const task of tasks) {
    const scars = await verifyTask(verifier, task);
    expect(scars).toEqual({ restarts: 0, interrupted: 0, doublesPrevented: 0 });
  }
  await verifyNoOthers(verifier, tasks);
  const ours = new Set(tasks.map(({ id }) => id));
  await vi.waitFor(
    () => {
      const deliveries = receiver.deliveries.filter(({ body }) => ours.has(JSON.parse(body).task_id));
      verifyCallbacks(tasks, deliveries, webhookSecret);
    },
    { interval: 100 },
  );
});
