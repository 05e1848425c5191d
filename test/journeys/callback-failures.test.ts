import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startReceiver, type Receiver } from "#test/support/receiver.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

let service: TestService;
let receiver: Receiver;
let client: TaskClient;
beforeAll(async () => {
  service = await startService({ OUTBOUND_ALLOW_PRIVATE: "true", MODEL_MAX_RETRIES: "0" });
  receiver = await startReceiver((path, before) => {
    if (path === "/fails-once") return { status: before === 0 ? 500 : 200 };
    if (path === "/moved") return { status: 307, location: "/elsewhere" };
    return { status: path === "/gone" ? 410 : 200 };
  });
  client = await newTaskClient(service);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const FOREVER = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 });
const MODEL_FAILS = script({ error: { status: 400 } });

async function startWithCallback(path: string, message = "Hello", by = client) {
  return by.start(message, { webhook_url: receiver.url + path });
}

const untilAttempted = (taskId: string) =>
  vi.waitUntil(
    async () => {
      const { callback } = await client.status(taskId);
      return callback.attempts.length > 0 && callback;
    },
    { interval: 100 },
  );

describe.concurrent("a receiver that fails", () => {
  it("is called again within 30 s, with the same id, and the status tells of both attempts", async () => {
    const { task_id: taskId } = await startWithCallback("/fails-once");
    expect(await untilAttempted(taskId)).toMatchObject({
      status: "pending",
      attempts: [{ attempt: 1, delivered: false, status_code: 500, error: "The receiver returned 500" }],
    });
    const requests = await receiver.waitFor("/fails-once", 2);
    const [first, second] = requests.map(({ headers }) => headers);
    expect((requests[1]?.at ?? Infinity) - (requests[0]?.at ?? 0)).toBeLessThan(30_000);
    expect(first?.["webhook-id"]).toBe(`task_${taskId}`);
    expect(second?.["webhook-id"]).toBe(first?.["webhook-id"]);
    expect(Number(second?.["webhook-timestamp"])).toBeGreaterThan(Number(first?.["webhook-timestamp"]));
    for (const { body, headers } of requests) {
      expect(new Webhook(client.webhookSecret).verify(body, headers)).toMatchObject({ task_id: taskId });
    }
    await vi.waitFor(async () => {
      const { callback } = await client.status(taskId);
      expect(callback).toMatchObject({
        status: "delivered",
        attempts: [
          { attempt: 1, delivered: false },
          { attempt: 2, delivered: true, status_code: 200, error: null },
        ],
      });
    });
  });

  it("is not followed when it responds with a redirect", async () => {
    const { task_id: taskId } = await startWithCallback("/moved");
    expect((await untilAttempted(taskId)).attempts).toMatchObject([{ delivered: false, status_code: 307 }]);
    expect(receiver.received("/elsewhere")).toEqual([]);
  });

  it("is not believed to have got what it refuses", async () => {
    const { task_id: taskId } = await startWithCallback("/gone");
    expect((await untilAttempted(taskId)).attempts).toMatchObject([{ delivered: false, status_code: 410 }]);
  });

  it("that is not there is a failed attempt as well", async () => {
    // No other program of this machine can take that port meanwhile.
    const { task_id: taskId } = await client.start("Hello", { webhook_url: "http://127.0.0.1:9/hook" });
    const { attempts } = await untilAttempted(taskId);
    expect(attempts).toMatchObject([
      { delivered: false, status_code: null, error: expect.stringContaining("could not be reached") },
    ]);
  });
});

describe.concurrent("every end is called back", () => {
  it("a failure, with its reason", async () => {
    const { task_id: taskId } = await startWithCallback("/failed", MODEL_FAILS);
    const { body, headers } = await receiver.first("/failed");
    expect(new Webhook(client.webhookSecret).verify(body, headers)).toMatchObject({
      task_id: taskId,
      status: "failed",
      completion_reason: "model_error",
      error: expect.stringContaining("400"),
    });
  });

  it("a cancelled task, running or waiting for its chat", async () => {
    const running = await startWithCallback("/cancelled", FOREVER);
    const waiting = await client.start("Hello", {
      webhook_url: `${receiver.url}/cancelled-waiting`,
      chat_id: running.chat_id,
    });
    await client.event(running.task_id, "text_delta");
    await client.cancel(waiting.task_id);
    await client.cancel(running.task_id);
    const [one, other] = [await receiver.first("/cancelled"), await receiver.first("/cancelled-waiting")];
    expect(JSON.parse(one.body)).toMatchObject({ task_id: running.task_id, status: "cancelled" });
    expect(JSON.parse(other.body)).toMatchObject({ task_id: waiting.task_id, status: "cancelled" });
  });

  it("a task whose key was revoked, signed with that key's secret", async () => {
    const mate = await newTaskClient(service, { account: client.account });
    const { task_id: taskId } = await startWithCallback("/revoked", FOREVER, mate);
    await mate.event(taskId, "text_delta");
    await service.call("DELETE", `/api/external/keys/${mate.keyId}`, { token: client.account.token });
    const { body, headers } = await receiver.first("/revoked");
    expect(new Webhook(mate.webhookSecret).verify(body, headers)).toMatchObject({
      status: "failed",
      completion_reason: "key_revoked",
    });
  });
});

describe("without leave to call private addresses", () => {
  const guarded = sharedService();
  let stranger: TaskClient;
  beforeAll(async () => {
    stranger = await newTaskClient(guarded);
  });

  it.each([
    "http://127.0.0.1:8080/hook",
    "http://localhost/hook",
    "http://LOCALHOST./hook",
    "http://app.localhost/hook",
    "http://2130706433/hook",
    "http://0x7f.1/hook",
    "http://0.0.0.0/hook",
    "http://10.0.0.1/hook",
    "http://192.168.1.1/hook",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/hook",
    "http://[::ffff:127.0.0.1]/hook",
    "http://[fd00::1]/hook",
    "http://metadata.google.internal/hook",
    "http://database/hook",
  ])("an invocation with the address %s is refused", async (webhook_url) => {
    expect(await stranger.invoke("Hello", { webhook_url })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^webhook_url: The address /u) },
    });
  });

  it("the receiver of this machine gets nothing; the catcher of the local stack does", async () => {
    const { port } = new URL(receiver.url);
    const refused = await stranger.invoke("Hello", { webhook_url: `http://127.0.0.1:${port}/private` });
    expect(refused.status).toBe(400);
    const allowed = `${guarded.stack.callbacksUrl ?? ""}/hook`;
    const { task_id: taskId } = await stranger.start("Hello", { webhook_url: allowed });
    await vi.waitFor(async () => expect((await stranger.status(taskId)).callback.status).toBe("delivered"));
    expect(receiver.received("/private")).toEqual([]);
  });
});
