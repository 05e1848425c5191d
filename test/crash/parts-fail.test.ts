import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startReceiver } from "#test/local/support/receiver.ts";
import { collectEvents } from "#test/support/events.ts";
import { startFaultProxy, type FaultProxy } from "#test/support/fault-proxy.ts";
import { seeded } from "#test/support/random.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newScript } from "./support/script.ts";
import { Traffic } from "./support/traffic.ts";
import { verifyCallbacks, verifyNoOthers, verifyTask, type Scars, type Verifier } from "./support/verify.ts";

let service: TestService;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let database: FaultProxy;
let queue: FaultProxy;
let model: FaultProxy;

beforeAll(async () => {
  [receiver, database, queue, model] = await Promise.all([
    startReceiver(),
    startFaultProxy(),
    startFaultProxy(),
    startFaultProxy(),
  ]);
  service = await startService(
    // What lives shows life every three seconds, on a busy machine later; then a turn more would be counted as begun anew.
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
});
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

/** Tasks that are all past their beginning. */
async function someTasks(traffic: Traffic, count = 3): Promise<void> {
  traffic.burst(count);
  await vi.waitFor(() => {
    expect(traffic.acknowledged).toHaveLength(count);
    for (const { events } of traffic.acknowledged) expect(events.length).toBeGreaterThan(1);
  });
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

describe("a database", () => {
  it.each(["refuse", "lose", "hang"] as const)(
    "that begins to %s costs time and nothing else",
    async (fault) => {
      const scene = await newScene();
      await someTasks(scene.traffic);
      database.fail(fault);
      await database.suffered(3);
      database.heal();
      expect(await verifyAll(scene)).toHaveLength(3);
    },
  );
});

describe("a queue", () => {
  it.each(["refuse", "hang"] as const)(
    "that begins to %s makes an invocation fail in a sentence; repeated, it is one task",
    async (fault) => {
      const { verifier, projectId } = await newScene();
      const script = newScript("refused", seeded(4), 0.2);
      const invoke = () =>
        service.call<{ task_id: string; detail?: string }>("POST", "/api/external/agent/invoke", {
          token: verifier.key,
          headers: { "idempotency-key": "once" },
          json: { project_id: projectId, message: script.message },
        });
      queue.fail(fault, /agent-step/u);
      expect(await invoke()).toMatchObject({
        status: 503,
        body: { detail: expect.stringMatching(/^The queue did not/u) },
      });
      queue.heal();
      const { status, body } = await invoke();
      expect(status).toBe(200);
      const task = await untilOver(verifier, body.task_id);
      expect(task).toMatchObject({ status: "completed", tool_calls: script.calls });
      for (const file of script.effects) expect(await linesOf(verifier, projectId, file)).toBe(1);
    },
  );

  it("that took nothing leaves a task which is run once all the same, or not at all", async () => {
    const { verifier, projectId } = await newScene();
    const script = newScript("unacknowledged", seeded(5), 0.2);
    queue.fail("refuse", /agent-step/u);
    const { status } = await service.call("POST", "/api/external/agent/invoke", {
      token: verifier.key,
      json: { project_id: projectId, message: script.message },
    });
    expect(status).toBe(503);
    queue.heal();
    const { body } = await service.call<{ items: { task_id: string }[] }>("GET", "/api/v1/agents/tasks", {
      token: verifier.key,
    });
    for (const { task_id: id } of body.items) {
      // The sweep of the next minute launches it; with a reader its log's watchdog does.
      await collectEvents({ url: service.url, key: verifier.key, taskId: id });
      expect(await untilOver(verifier, id)).toMatchObject({ status: "completed" });
      for (const file of script.effects) expect(await linesOf(verifier, projectId, file)).toBe(1);
    }
  });

  it("that takes no ends of tasks delays their callbacks and the chat's next turn", async () => {
    const scene = await newScene();
    queue.fail("refuse", /task-finished/u, 3);
    scene.traffic.run(0);
    expect(await verifyAll(scene)).toHaveLength(3);
  });
});

describe("a model", () => {
  it.each(["cut", "refuse", "lose", "hang"] as const)(
    "whose answers begin to %s is asked again, and its text counts from there",
    async (fault) => {
      const scene = await newScene();
      model.fail(fault, undefined, 2);
      await someTasks(scene.traffic);
      const scars = await verifyAll(scene);
      const restarts = scars.reduce((sum, each) => sum + each.restarts, 0);
      expect(restarts).toBe(fault === "cut" ? 2 : 0);
    },
  );
});

async function untilOver({ api, key }: Verifier, taskId: string) {
  return vi.waitFor(
    async () => {
      const { body } = await api.call<{ status: string }>("GET", `/api/external/agent/status/${taskId}`, {
        token: key,
      });
      expect(["completed", "failed", "cancelled"]).toContain(body.status);
      return body;
    },
    { interval: 100 },
  );
}

async function linesOf({ api, token }: Verifier, projectId: string, file: string): Promise<number> {
  const path = `/api/projects/${projectId}/files/content?path=${encodeURIComponent(file)}`;
  const { body } = await api.call<{ content: string }>("GET", path, { token });
  return body.content.split("\n").length - 1;
}
