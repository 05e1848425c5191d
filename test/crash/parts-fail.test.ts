import { afterAll, afterEach, expect, it, vi } from "vitest";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";
import { collectEvents } from "#test/support/events.ts";
import { startFaultProxy } from "#test/support/fault-proxy.ts";
import { seeded } from "#test/support/random.ts";
import { startService } from "#test/support/service.ts";
import { newScript } from "./support/script.ts";
import { Traffic } from "./support/traffic.ts";
import { verifyCallbacks, verifyNoOthers, verifyTask, type Scars, type Verifier } from "./support/verify.ts";

const [receiver, database, queue, model] = await Promise.all([
  startReceiver(),
  startFaultProxy(),
  startFaultProxy(),
  startFaultProxy(),
]);
const service = await startService(
  { OUTBOUND_ALLOW_PRIVATE: "true", MODEL_STALL_SECONDS: "6", TASK_STALL_SECONDS: "12" },
  {
    reroute: (variables) => ({
      ...variables,
      NEON_HTTP_URL: database.before(variables["NEON_HTTP_URL"] ?? ""),
      QSTASH_URL: queue.before(variables["QSTASH_URL"] ?? ""),
      DEMO_MODEL_URL: model.before(variables["DEMO_MODEL_URL"] ?? ""),
    }),
  },
);
afterEach(() => {
  for (const proxy of [database, queue, model]) proxy.heal();
});
afterAll(async () => {
  await service.close();
  await Promise.all([receiver, database, queue, model].map((each) => each.close()));
});

interface Scene {
  verifier: Verifier;
  webhookSecret: string;
  projectId: string;
  traffic: Traffic;
}

/** A new person with a project, so that a test counts its own tasks only. */
async function newScene(): Promise<Scene> {
  const { token } = await service.signUp();
  const { id: projectId } = await service.newProject(token);
  const { key, webhookSecret } = await service.newKey(token);
  const traffic = new Traffic({
    key,
    projectIds: [projectId],
    webhookUrl: receiver.url,
    random: seeded(3),
    pace: 0.5,
  });
  traffic.up({ url: service.url, readyAt: Date.now(), over: new AbortController().signal });
  return { verifier: { api: service, key, token }, webhookSecret, projectId, traffic };
}

/** Follow all tasks to their end and check everything about them. */
async function verifyAll({ verifier, traffic, webhookSecret }: Scene): Promise<Scars[]> {
  await traffic.finish();
  const scars: Scars[] = [];
  for (const task of traffic.acknowledged) scars.push(await verifyTask(verifier, task));
  await verifyNoOthers(verifier, traffic.acknowledged);
  const ours = new Set(traffic.acknowledged.map(({ id }) => id));
  await vi.waitFor(
    () => {
      const deliveries = receiver.deliveries.filter(({ body }) => ours.has(JSON.parse(body).task_id));
      verifyCallbacks(traffic.acknowledged, deliveries, webhookSecret);
    },
    { interval: 100 },
  );
  return scars;
}

it("a database that refuses, loses answers or hangs costs time and nothing else", async () => {
  const scene = await newScene();
  for (const fault of ["refuse", "lose", "hang"] as const) {
    scene.traffic.burst(1);
    await vi.waitUntil(() => scene.traffic.underWay > 0);
    database.fail(fault);
    await database.suffered(3);
    database.heal();
  }
  expect(await verifyAll(scene)).toHaveLength(3);
});

it("a queue that refuses or hangs keeps no task from its first step; repeated, an invocation is one task", async () => {
  const { verifier, projectId } = await newScene();
  const { api, key: token } = verifier;
  const scripts = [];
  for (const fault of ["refuse", "hang"] as const) {
    const script = newScript(fault, seeded(4), 0.2);
    scripts.push(script);
    const invoke = () =>
      api.call<{ task_id: string; detail?: string }>("POST", "/api/external/agent/invoke", {
        token,
        headers: { "idempotency-key": fault },
        json: { project_id: projectId, message: script.message },
      });
    queue.fail(fault, /agent-step/u);
    const { status, body } = await invoke();
    expect(status).toBe(200);
    expect(await invoke()).toMatchObject({ status: 200, body: { task_id: body.task_id } });
    const events = await collectEvents({ url: api.url, key: token, taskId: body.task_id });
    expect(events.at(-1)?.body).toMatchObject({ type: "done", status: "completed" });
    queue.heal();
    const view = await api.call("GET", `/api/external/agent/status/${body.task_id}`, { token });
    expect(view.body).toMatchObject({ status: "completed", tool_calls: script.calls });
  }
  for (const file of scripts.flatMap(({ effects }) => effects)) {
    const path = `/api/projects/${projectId}/files/${file}`;
    const { body } = await api.call<{ content: string }>("GET", path, { token: verifier.token });
    expect(body.content).toBe("ran\n");
  }
  const { body } = await api.call("GET", "/api/v1/agents/tasks", { token });
  expect(body).toMatchObject({ total: 2 });
});

it("a queue that takes no ends of tasks delays their callbacks and the chat's next turn", async () => {
  const scene = await newScene();
  queue.fail("refuse", /task-finished/u, 3);
  scene.traffic.chat();
  expect(await verifyAll(scene)).toHaveLength(3);
});

it("a model whose answers are cut off, refused, lost or never come is asked again, and its text counts from there", async () => {
  const scene = await newScene();
  const faults = ["cut", "refuse", "lose", "hang"] as const;
  for (const fault of faults) {
    model.fail(fault, undefined, 1);
    scene.traffic.burst(1);
    await model.suffered(1);
  }
  const scars = await verifyAll(scene);
  expect(scars).toHaveLength(faults.length);
  // What a client has seen of an answer that was cut off is begun anew.
  expect(scars.reduce((sum, { askedAnew }) => sum + askedAnew, 0)).toBe(1);
});
