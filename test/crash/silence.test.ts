import { afterAll, expect, it } from "vitest";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";
import { startFaultProxy } from "#test/support/fault-proxy.ts";
import { seeded } from "#test/support/random.ts";
import { startService } from "#test/support/service.ts";
import { Traffic } from "./support/traffic.ts";
import { verifyNoOthers, verifyTask, type Scars } from "./support/verify.ts";

/**
 * An executor pings every three seconds: with this limit, a step of more than one second makes it look dead. On a busy machine
 * that is every step, so that attempts without progress must not end a task.
 */
const [model, receiver] = await Promise.all([startFaultProxy(), startReceiver()]);
const service = await startService(
  { TASK_STALL_SECONDS: "1", TASK_MAX_ATTEMPTS: "1000", OUTBOUND_ALLOW_PRIVATE: "true" },
  {
    reroute: (variables) => ({
      ...variables,
      DEMO_MODEL_URL: model.before(variables["DEMO_MODEL_URL"] ?? ""),
    }),
  },
);
afterAll(async () => {
  await service.close();
  await Promise.all([model.close(), receiver.close()]);
});

it("an executor that was taken for dead and is not writes nothing more, and nothing is done twice", async () => {
  const { token } = await service.signUp();
  const { id: projectId } = await service.newProject(token);
  const { key } = await service.newKey(token);
  const traffic = new Traffic({
    key,
    projectIds: [projectId],
    webhookUrl: receiver.url,
    random: seeded(6),
    pace: 2,
  });
  traffic.up({ url: service.url, readyAt: Date.now(), over: new AbortController().signal });
  // The first answer of the model comes when its executor has long been replaced.
  model.fail("late", undefined, 2);
  traffic.burst(4);
  await traffic.finish();

  const verifier = { api: service, key, token };
  const scars: Scars[] = [];
  for (const task of traffic.acknowledged) scars.push(await verifyTask(verifier, task));
  await verifyNoOthers(verifier, traffic.acknowledged);
  const sum = (name: keyof Scars) => scars.reduce((total, each) => total + each[name], 0);
  expect(sum("restarts")).toBeGreaterThanOrEqual(2);
  expect(sum("doublesPrevented")).toBeGreaterThan(0);
});
